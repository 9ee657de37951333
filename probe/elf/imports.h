/* SPDX-License-Identifier: Apache-2.0 */
/* Which symbols a file needs from other objects, found by the relocations that ld.so processes. */
#ifndef CUA_ELFIMPORTS_H
#define CUA_ELFIMPORTS_H

#include "elf/file.h"

/* Whether the file asks ld.so to bind all its functions while it is loaded, not at their first
 * call. */
bool cua_elf_binds_now(const struct cua_elf *elf);

/* Calls `on` for each symbol that ld.so must find in order to load the file: the symbol is
 * undefined and not weak, and a relocation refers to it. `now`: includes the functions that ld.so
 * would normally bind at their first call. Names of more than 63 characters are left out. False if
 * a table cannot be read, has too many symbols, or there is no memory; `on` may have been called
 * for some symbols before. */
bool cua_elf_imports(struct cua_elf *elf, bool now, void (*on)(void *data, const char *name),
                     void *data);

#endif
