/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libelf reads symbols one after the other and looks nothing up. A libcuda has some 900 of them,
 * which cost more than all the rest of the file; through the hash table, as ld.so goes, it is one.
 * What the file imports is in no hash table, but stands before what is.
 */
#include "elfsymbols.h"

#include <string.h>

#define MAX_SYMBOLS 65536u
#define MAX_NAMES   (4u << 20)
#define MAX_WANTED  4
#define MAX_PLACES  4
#define CHUNK       64
#define PIECE       4096
#define MAX_NAME    64

/* Where a name stands in the string table; linkers let it share the end of a longer one. */
struct places {
    uint64_t at[MAX_PLACES];
    unsigned count;
};

struct table {
    struct cua_elf *elf;
    struct cua_elf_symbol *wanted;
    size_t wants;
    struct places places[MAX_WANTED];
    uint64_t symbols; /* file offset */
    uint32_t count;   /* of the symbols that are read one after the other */
};

static uint32_t hash(const char *name)
{
    uint32_t value = 5381;

    for (; *name; name++)
        value = value * 33 + (unsigned char)*name;
    return value;
}

/* Places that begin in the first `news` bytes of the piece; what follows is for their ends. */
static void find_places(struct places *places, const char *name, const char *piece, size_t size,
                        size_t news, uint64_t at)
{
    size_t length = strlen(name) + 1;
    const char *place = piece;

    while (places->count < MAX_PLACES &&
           (place = memmem(place, size - (size_t)(place - piece), name, length)) &&
           place < piece + news)
        places->at[places->count++] = at + (size_t)(place++ - piece);
}

/* Names stand there in no order, and one after the other they would be read piecemeal. */
static bool find_names(struct table *table)
{
    struct cua_elf *elf = table->elf;
    char piece[PIECE + MAX_NAME];

    if (elf->strings_size > MAX_NAMES)
        return false;
    for (uint64_t at = 0; at < elf->strings_size; at += PIECE) {
        uint64_t rest = elf->strings_size - at, size = rest < sizeof piece ? rest : sizeof piece;
        if (!cua_elf_bytes(elf, elf->strings + at, piece, size) ||
            (size == rest && piece[size - 1]))
            return false;
        for (size_t i = 0; i < table->wants; i++)
            find_places(&table->places[i], table->wanted[i].name, piece, size, PIECE, at);
    }
    return true;
}

static void match(struct table *table, const Elf64_Sym *symbol)
{
    for (size_t i = 0; i < table->wants; i++) {
        struct cua_elf_symbol *wanted = &table->wanted[i];
        for (unsigned j = 0; j < table->places[i].count; j++) {
            if (table->places[i].at[j] != symbol->st_name ||
                wanted->imported != (symbol->st_shndx == SHN_UNDEF))
                continue;
            wanted->found = true;
            wanted->value = symbol->st_value;
        }
    }
}

/* The first of the table, which is empty, is left out. */
static bool read_all(struct table *table)
{
    Elf64_Sym chunk[CHUNK];

    for (uint32_t first = 1, n; first < table->count; first += n) {
        n = table->count - first < CHUNK ? table->count - first : CHUNK;
        if (!cua_elf_bytes(table->elf, table->symbols + first * sizeof *chunk, chunk,
                           n * sizeof *chunk))
            return false;
        for (uint32_t i = 0; i < n; i++) {
            if (chunk[i].st_name >= table->elf->strings_size)
                return false;
            match(table, &chunk[i]);
        }
    }
    return true;
}

/* One that the file offers. The words of a chain end with the first odd one. */
static bool look_up(struct table *table, uint64_t at, const uint32_t *head, const char *name)
{
    struct cua_elf *elf = table->elf;
    uint64_t buckets = at + 4 * sizeof *head + head[2] * sizeof(uint64_t);
    uint64_t chain = buckets + head[0] * sizeof *head;
    uint32_t key = hash(name), index, word = 0;
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
        if (!cua_elf_bytes(elf, table->symbols + index * sizeof symbol, &symbol, sizeof symbol))
            return false;
        match(table, &symbol);
    }
    return true;
}

static bool look_up_all(struct table *table, uint64_t address)
{
    uint32_t head[4]; /* buckets, first symbol in them, words of the Bloom filter, its shift */
    uint64_t at;

    if (!cua_elf_offset(table->elf, address, sizeof head, &at) ||
        !cua_elf_bytes(table->elf, at, head, sizeof head) || head[0] > MAX_SYMBOLS ||
        head[1] > MAX_SYMBOLS || head[2] > MAX_SYMBOLS)
        return false;
    for (size_t i = 0; i < table->wants; i++) {
        if (!table->wanted[i].imported && !look_up(table, at, head, table->wanted[i].name))
            return false;
    }
    table->count = head[1];
    return true;
}

/* The oldest hash table knows how many symbols there are, and a libcuda without the newer one is
 * old: all are read. */
static bool count_all(struct table *table, uint64_t address)
{
    uint32_t head[2];
    uint64_t at;

    if (!cua_elf_offset(table->elf, address, sizeof head, &at) ||
        !cua_elf_bytes(table->elf, at, head, sizeof head) || head[1] > MAX_SYMBOLS)
        return false;
    table->count = head[1];
    return true;
}

bool cua_elf_symbols(struct cua_elf *elf, struct cua_elf_symbol *wanted, size_t count)
{
    struct table table = {.elf = elf, .wanted = wanted, .wants = count};
    uint64_t address;
    bool good;

    for (size_t i = 0; i < count; i++)
        wanted[i].found = false;
    if (count > MAX_WANTED || !cua_elf_value(elf, DT_SYMTAB, &address) ||
        !cua_elf_offset(elf, address, sizeof(Elf64_Sym), &table.symbols) || !find_names(&table))
        return false;
    if (cua_elf_value(elf, DT_GNU_HASH, &address))
        good = look_up_all(&table, address);
    else
        good = cua_elf_value(elf, DT_HASH, &address) && count_all(&table, address);
    return good && read_all(&table);
}
