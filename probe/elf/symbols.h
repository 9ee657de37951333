/* SPDX-License-Identifier: Apache-2.0 */
/* Looks some dynamic symbols of an ELF file up by their names. */
#ifndef CUA_ELFSYMBOLS_H
#define CUA_ELFSYMBOLS_H

#include "elf/file.h"

struct cua_elf_symbol {
    const char *name; /* at most 63 characters */
    /* True: the symbol is looked for among the undefined ones, which the file imports. False: among
     * those that the file defines. */
    bool imported;
    bool found;
    uint64_t value; /* address of an exported symbol (st_value) */
};

/* Sets `found` in all of `wanted`, and `value` in those that are found. Reads no more of the file
 * than necessary. False if a table is missing, too large or damaged, or cannot be read. Then the
 * results must not be used. */
bool cua_elf_symbols(struct cua_elf *elf, struct cua_elf_symbol *wanted, size_t count);

#endif
