/* SPDX-License-Identifier: Apache-2.0 */
/* Looks symbols up by the hash table that ld.so uses. libelf can only read them one after the
 * other: a libcuda has some 900, and reading them would cost more than everything else. DT_GNU_HASH
 * does not index imported symbols. These come first in the symbol table, and are read in
 * sequence. */
#include "elf/symbols.h"

#include <stdlib.h>
#include <string.h>

/* Limit for symbols: more than fifteen times as many as drivers have. */
#define MAX_SYMBOLS 16384u
#define MAX_STRINGS (1u << 20)
#define MAX_NAME    64

struct table {
    struct cua_elf *elf;
    struct cua_elf_symbol *wanted;
    size_t wants;
    uint64_t symbols; /* file offset of the symbol table */
    uint32_t count;   /* symbols at the start of the table that are read in sequence */
};

static uint32_t hash(const char *name)
{
    uint32_t value = 5381;

    for (; *name; name++)
        value = value * 33 + (unsigned char)*name;
    return value;
}

static bool read_symbol(struct table *table, uint32_t index, Elf64_Sym *symbol)
{
    return cua_elf_bytes(table->elf, table->symbols + index * sizeof *symbol, symbol,
                         sizeof *symbol);
}

static void match(struct table *table, const Elf64_Sym *symbol, const char *name)
{
    for (size_t i = 0; i < table->wants; i++) {
        struct cua_elf_symbol *wanted = &table->wanted[i];
        if (*wanted->name != *name || wanted->imported != (symbol->st_shndx == SHN_UNDEF) ||
            strcmp(wanted->name, name) != 0)
            continue;
        wanted->found = true;
        wanted->value = symbol->st_value;
    }
}

static bool all_found(const struct table *table)
{
    size_t i = 0;

    while (i < table->wants && table->wanted[i].found)
        i++;
    return i == table->wants;
}

/* Reads the part of the string table that holds the names of `count` symbols, with one read,
 * because the names are mostly close together. *low receives the offset in the string table at
 * which this part begins. Returns the part, to be freed; NULL if a name lies outside the string
 * table, or the part cannot be read. */
static char *read_names(struct cua_elf *elf, const Elf64_Sym *symbol, uint32_t count, uint64_t *low)
{
    uint64_t high = 0, size;
    char *names;

    *low = elf->strings_size;
    for (uint32_t i = 0; i < count; i++) {
        *low = symbol[i].st_name < *low ? symbol[i].st_name : *low;
        high = symbol[i].st_name > high ? symbol[i].st_name : high;
    }
    if (high >= elf->strings_size)
        return NULL;
    size = elf->strings_size - high > MAX_NAME ? high - *low + MAX_NAME : elf->strings_size - *low;
    names = malloc(size + 1);
    elf->failed |= !names;
    if (names && cua_elf_bytes(elf, elf->strings + *low, names, size) &&
        (*low + size < elf->strings_size || !names[size - 1])) {
        names[size] = 0;
        return names;
    }
    free(names);
    return NULL;
}

/* Compares symbols 1 to table->count - 1 with the wanted ones; symbol 0 is always empty. False if
 * the symbols or their names cannot be read. */
static bool read_all(struct table *table)
{
    uint32_t count = table->count - 1;
    uint64_t size = count * sizeof(Elf64_Sym), low;
    Elf64_Sym *symbol = malloc(size);
    char *names = NULL;

    table->elf->failed |= !symbol;
    if (symbol && cua_elf_bytes(table->elf, table->symbols + sizeof *symbol, symbol, size))
        names = read_names(table->elf, symbol, count, &low);
    for (uint32_t i = 0; names && i < count; i++)
        match(table, &symbol[i], names + (symbol[i].st_name - low));
    free(names);
    free(symbol);
    return names != NULL;
}

/* Looks an exported symbol up in DT_GNU_HASH. `at`: file offset of this table; `head`: its first
 * four words. Each bucket has a chain of hash values, one for each symbol; the last value of a
 * chain is odd. True also if the symbol is not in the table. False if the table cannot be read or
 * contradicts itself. */
static bool look_up(struct table *table, uint64_t at, const uint32_t *head, const char *wanted)
{
    struct cua_elf *elf = table->elf;
    uint64_t buckets = at + 4 * sizeof *head + head[2] * sizeof(uint64_t);
    uint64_t chain = buckets + head[0] * sizeof *head;
    uint32_t key = hash(wanted), index, word = 0;
    char name[MAX_NAME];
    Elf64_Sym symbol;

    if (!head[0])
        return true;
    if (!cua_elf_bytes(elf, buckets + key % head[0] * sizeof *head, &index, sizeof index))
        return false;
    if (index < head[1])
        return index == 0;
    for (; index < MAX_SYMBOLS && !(word & 1); index++) {
        if (!cua_elf_bytes(elf, chain + (index - head[1]) * sizeof word, &word, sizeof word))
            return false;
        if ((word | 1) != (key | 1))
            continue;
        if (!read_symbol(table, index, &symbol))
            return false;
        if (cua_elf_string(elf, symbol.st_name, name, sizeof name))
            match(table, &symbol, name);
    }
    return true;
}

/* With DT_GNU_HASH, looks the exported symbols up in that table. Then, if a wanted symbol has not
 * been found yet, reads the symbols that the table does not index, in sequence. Without
 * DT_GNU_HASH, reads all symbols in sequence; DT_HASH only shows their number. Only old libcudas
 * have DT_HASH alone. */
bool cua_elf_symbols(struct cua_elf *elf, struct cua_elf_symbol *wanted, size_t count)
{
    struct table table = {.elf = elf, .wanted = wanted, .wants = count};
    /* The first words of the hash table. DT_GNU_HASH: number of buckets, number of symbols that are
     * not indexed, words of the Bloom filter, shift of the filter. DT_HASH: number of buckets,
     * number of symbols. */
    uint32_t head[4];
    uint64_t symbols, hashes, at;
    bool newer = cua_elf_value(elf, DT_GNU_HASH, &hashes);

    for (size_t i = 0; i < count; i++)
        wanted[i].found = false;
    if (elf->strings_size > MAX_STRINGS || !cua_elf_value(elf, DT_SYMTAB, &symbols) ||
        !cua_elf_offset(elf, symbols, sizeof(Elf64_Sym), &table.symbols) ||
        (!newer && !cua_elf_value(elf, DT_HASH, &hashes)) ||
        !cua_elf_offset(elf, hashes, sizeof head, &at) ||
        !cua_elf_bytes(elf, at, head, sizeof head) || head[1] > MAX_SYMBOLS ||
        (newer && (head[0] > MAX_SYMBOLS || head[2] > MAX_SYMBOLS)))
        return false;
    table.count = head[1];
    for (size_t i = 0; newer && i < count; i++)
        if (!wanted[i].imported && !look_up(&table, at, head, wanted[i].name))
            return false;
    return table.count < 2 || all_found(&table) || read_all(&table);
}
