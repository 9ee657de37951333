/* SPDX-License-Identifier: Apache-2.0 */
/* The notes of an ELF file. */
#ifndef CUA_ELFNOTES_H
#define CUA_ELFNOTES_H

#include "elf/file.h"
#include "elf/compat_note.h"

/* In hex, of up to 20 bytes. */
#define CUA_BUILD_ID 41

/* The driver's note on forward compatibility, as cua_note_find. `sections`: it is also looked for
 * by its section's name, for files whose note no segment covers. */
void cua_elf_note(struct cua_elf *elf, struct cua_note *note, bool sections);

/* The GNU build id; "" where there is none. `id`: CUA_BUILD_ID bytes. */
void cua_elf_build_id(struct cua_elf *elf, char *id);

#endif
