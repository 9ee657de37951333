/* SPDX-License-Identifier: Apache-2.0 */
/* Looks some dynamic symbols of an ELF file up by their names. */
#ifndef CUA_ELFSYMBOLS_H
#define CUA_ELFSYMBOLS_H

#include "elf/file.h"

struct cua_elf_symbol {
    const char *name; /* at most 62 characters */
    /* Look among the symbols that the file needs; otherwise among those it exports. */
    bool imported;
    bool found;
    uint64_t value; /* of an exported symbol */
};

/* Looks for all of `wanted`, and reads no more of the file than that needs. False if a table lies
 * outside the file or contradicts itself; then the results found so far must not be used. */
bool cua_elf_symbols(struct cua_elf *elf, struct cua_elf_symbol *wanted, size_t count);

#endif
