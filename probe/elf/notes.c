/* SPDX-License-Identifier: Apache-2.0 */
#include "elf/notes.h"

#include <string.h>

#define MAX_NOTES (64u << 10)

static bool is_known(const struct cua_note *note)
{
    return note->present || note->trouble[0];
}

/* The bytes of notes are the file's: their decoding changes nothing where the order is ours. */
static void read_note(struct cua_elf *elf, struct cua_note *note, uint64_t offset, uint64_t size)
{
    char small[512], *bytes = size > sizeof small ? NULL : small;
    Elf_Data *data = NULL;

    if (size > sizeof small && size <= MAX_NOTES)
        data = cua_elf_data(elf, offset, size, ELF_T_BYTE);
    if (data)
        bytes = data->d_buf;
    if (data || (bytes && cua_elf_bytes(elf, offset, bytes, size)))
        cua_note_find(note, bytes, size);
}

static void read_section(struct cua_elf *elf, struct cua_note *note)
{
    char name[sizeof CUA_NOTE_SECTION];
    Elf *handle = cua_elf_handle(elf);
    GElf_Shdr names, header;
    Elf_Scn *section = NULL;
    size_t index;

    if (!handle || elf_getshdrstrndx(handle, &index) != 0 ||
        !gelf_getshdr(elf_getscn(handle, index), &names))
        return;
    while (!is_known(note) && (section = elf_nextscn(handle, section))) {
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_NOTE &&
            header.sh_name < names.sh_size &&
            cua_elf_bytes(elf, names.sh_offset + header.sh_name, name, sizeof name) &&
            memcmp(name, CUA_NOTE_SECTION, sizeof name) == 0)
            read_note(elf, note, header.sh_offset, header.sh_size);
    }
}

void cua_elf_note(struct cua_elf *elf, struct cua_note *note, bool sections)
{
    memset(note, 0, sizeof *note);
    for (unsigned i = 0; i < elf->segments && !is_known(note); i++) {
        if (elf->segment[i].p_type == PT_NOTE)
            read_note(elf, note, elf->segment[i].p_offset, elf->segment[i].p_filesz);
    }
    if (sections && !is_known(note))
        read_section(elf, note);
}
