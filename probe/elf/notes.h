/* SPDX-License-Identifier: Apache-2.0 */
/* The notes of an ELF file. */
#ifndef CUA_ELFNOTES_H
#define CUA_ELFNOTES_H

#include "elf/file.h"
#include "elf/compat_note.h"

/* The driver's note on forward compatibility, as cua_note_find. `sections`: it is also looked for
 * by its section's name, for files whose note no segment covers. */
void cua_elf_note(struct cua_elf *elf, struct cua_note *note, bool sections);

#endif
