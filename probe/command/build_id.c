/* SPDX-License-Identifier: Apache-2.0 */
#include "command/build_id.h"

#include <string.h>
#include <unistd.h>

#include "elf/file.h"

#define MOST_NOTES (64u << 10)

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

/* Finds the build ID in the notes of a PT_NOTE segment, unless `id` has one already. Sizes are not
 * checked here: elf_getdata_rawchunk checks that the data lies in the file, and gelf_getnote checks
 * that each note lies in the data. */
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

static void read_notes(struct cua_elf *elf, char *id)
{
    for (unsigned i = 0; i < elf->segments; i++) {
        const GElf_Phdr *s = &elf->segment[i];
        if (s->p_type == PT_NOTE && s->p_filesz <= MOST_NOTES)
            find_build_id(id, elf_getdata_rawchunk(cua_elf_handle(elf), (int64_t)s->p_offset,
                                                   s->p_filesz,
                                                   s->p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR));
    }
}

const char *cua_build_id(const struct cua_umd *umd, const struct cua_subject *subject, char *id)
{
    int fd = cua_real_open(subject, umd->real);
    struct cua_elf elf;

    id[0] = 0;
    if (cua_elf_open(&elf, fd, NULL, EM_NONE) == CUA_ELF_FINE) {
        read_notes(&elf, id);
        cua_elf_close(&elf);
    }
    return id;
}
