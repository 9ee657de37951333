/* SPDX-License-Identifier: Apache-2.0 */
/* Some of the dynamic symbols of an ELF file, by their names. */
#ifndef CUA_ELFSYMBOLS_H
#define CUA_ELFSYMBOLS_H

#include "elf/file.h"

struct cua_elf_symbol {
    const char *name; /* at most 62 characters */
    bool imported;    /* look for it among what the file needs, else among what it offers */
    bool found;
    uint64_t value; /* of one that it offers */
};

/* Looks for all of `wanted`, and at no more of the file than that takes. False where that much of
 * the symbol table, the hash table or the string table does not lie in the file or contradicts
 * itself; what was found until then is not to be used. */
bool cua_elf_symbols(struct cua_elf *elf, struct cua_elf_symbol *wanted, size_t count);

#endif
