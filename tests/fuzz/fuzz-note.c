/* SPDX-License-Identifier: Apache-2.0 */
/* The note of forward compatibility: as a section's bytes, and as the text in it. */
#include <stdint.h>
#include <stdlib.h>

#include "elf/compat_note.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check(const struct cua_note *note)
{
    if (note->branches > CUA_NOTE_MAX || note->brands > CUA_NOTE_MAX ||
        (note->present && note->trouble[0]) ||
        (!note->present && (note->cuda || note->has_branches || note->has_brands)))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct cua_note note;

    cua_note_find(&note, (const char *)bytes, size);
    check(&note);
    cua_note_parse(&note, (const char *)bytes, size);
    check(&note);
    if (note.present == (note.trouble[0] != '\0'))
        abort();
    return 0;
}
