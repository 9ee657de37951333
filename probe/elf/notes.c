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

static void keep(char *id, const unsigned char *bytes, size_t size)
{
    if (id[0] || size * 2 >= CUA_BUILD_ID)
        return;
    for (size_t i = 0; i < size; i++) {
        id[i * 2] = "0123456789abcdef"[bytes[i] >> 4];
        id[i * 2 + 1] = "0123456789abcdef"[bytes[i] & 15];
    }
    id[size * 2] = 0;
}

/* gelf_getnote checks each note against the end of the data. */
static void find_build_id(char *id, Elf_Data *data)
{
    size_t at = 0, next, name, desc;
    GElf_Nhdr note;

    while (data && (next = gelf_getnote(data, at, &note, &name, &desc)) > at) {
        const char *bytes = data->d_buf;
        at = next;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof "GNU" &&
            memcmp(bytes + name, "GNU", sizeof "GNU") == 0)
            keep(id, (const unsigned char *)bytes + desc, note.n_descsz);
    }
}

void cua_elf_build_id(struct cua_elf *elf, char *id)
{
    id[0] = 0;
    for (unsigned i = 0; i < elf->segments; i++) {
        const GElf_Phdr *s = &elf->segment[i];
        if (s->p_type == PT_NOTE && s->p_filesz <= MAX_NOTES)
            find_build_id(id, cua_elf_data(elf, s->p_offset, s->p_filesz,
                                           s->p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR));
    }
}
