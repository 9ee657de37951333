/* SPDX-License-Identifier: Apache-2.0 */
/* Looks some dynamic symbols of an ELF file up by their names. */
#ifndef CUA_ELFSYMBOLS_H
#define CUA_ELFSYMBOLS_H

#include "elf/file.h"

struct cua_elf_symbol {
    const char *name; /* at most 63 characters */
    /* True: looked for among the undefined symbols, which the file imports. False: among those that
     * it defines. */
    bool imported;
    bool found;
    uint64_t value; /* address of an exported symbol (st_value) */
};

/* Sets `found` in all of `wanted`, and `value` in those that are found. Reads no more of the file
 * than that needs. False if a table is missing, too large or damaged, or cannot be read; the
 * results must not be used then. */
bool cua_elf_symbols(struct cua_elf *elf, struct cua_elf_symbol *wanted, size_t count);

#endif
