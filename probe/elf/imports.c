/* SPDX-License-Identifier: Apache-2.0 */
#include "elf/imports.h"

#include <stdlib.h>

/* Limit for the number of symbols. The largest library that CUDA programs are known to load has
 * half as many. */
#define MAX_SYMBOLS (1u << 20)
#define PART        256

bool cua_elf_binds_now(const struct cua_elf *elf)
{
    uint64_t value;

    return cua_elf_value(elf, DT_BIND_NOW, &value) ||
           (cua_elf_value(elf, DT_FLAGS, &value) && value & DF_BIND_NOW) ||
           (cua_elf_value(elf, DT_FLAGS_1, &value) && value & DF_1_NOW);
}

/* Sets bit N of `named` for each symbol N that a relocation refers to. `table` and `table_size`:
 * the dynamic tags that give address and size of the relocations. True also if the file has no such
 * relocations. False if they cannot be read, or a symbol's number is too high. */
static bool mark(struct cua_elf *elf, int64_t table, int64_t table_size, unsigned char *named)
{
    Elf64_Rela part[PART];
    uint64_t address, size, at, n;

    if (!cua_elf_value(elf, table, &address) || !cua_elf_value(elf, table_size, &size))
        return true;
    if (!cua_elf_offset(elf, address, size, &at))
        return false;
    for (uint64_t left = size / sizeof *part; left; left -= n, at += n * sizeof *part) {
        n = left < PART ? left : PART;
        if (!cua_elf_bytes(elf, at, part, n * sizeof *part))
            return false;
        for (uint64_t i = 0, symbol; i < n; i++) {
            if ((symbol = ELF64_R_SYM(part[i].r_info)) >= MAX_SYMBOLS)
                return false;
            named[symbol / 8] |= (unsigned char)(1u << symbol % 8);
        }
    }
    return true;
}

bool cua_elf_imports(struct cua_elf *elf, bool now, void (*on)(void *data, const char *name),
                     void *data)
{
    unsigned char *named = calloc(1, MAX_SYMBOLS / 8);
    Elf64_Sym symbol;
    uint64_t table, at;
    char name[64];
    bool fine = named && cua_elf_value(elf, DT_SYMTAB, &table) &&
                cua_elf_offset(elf, table, sizeof symbol, &at) &&
                mark(elf, DT_RELA, DT_RELASZ, named) &&
                (!now || mark(elf, DT_JMPREL, DT_PLTRELSZ, named));

    for (uint32_t i = 1; fine && i < MAX_SYMBOLS; i++) {
        if (!(named[i / 8] >> i % 8 & 1))
            continue;
        fine = cua_elf_bytes(elf, at + i * sizeof symbol, &symbol, sizeof symbol);
        if (fine && symbol.st_shndx == SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) != STB_WEAK &&
            cua_elf_string(elf, symbol.st_name, name, sizeof name))
            on(data, name);
    }
    free(named);
    return fine;
}
