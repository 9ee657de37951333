/* SPDX-License-Identifier: Apache-2.0 */
/* What a file takes from other objects, by the relocations that ld.so works through. */
#ifndef CUA_ELFIMPORTS_H
#define CUA_ELFIMPORTS_H

#include "elf/file.h"

/* Whether the file itself asks for all of it to be bound when it is loaded. */
bool cua_elf_binds_now(const struct cua_elf *elf);

/* Calls `on` with each symbol that ld.so must find to load the file: undefined, not weak, and named
 * by a relocation. `now`: the functions that are otherwise bound at their first call, too. Names of
 * more than 62 characters are left out. False where the tables cannot be read. */
bool cua_elf_imports(struct cua_elf *elf, bool now, void (*on)(void *data, const char *name),
                     void *data);

#endif
