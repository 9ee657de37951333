/* SPDX-License-Identifier: Apache-2.0 */
#include "elf/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "base/text.h"

/* Limits for the number of program headers and for the bytes of the dynamic section: far more than
 * linkers write, but little enough to allocate. */
#define MAX_SEGMENTS 256
#define MAX_DYNAMIC  (256u << 10)
/* How many bytes are read at once when a small read misses the window (struct cua_elf). A driver's
 * dynamic symbols and their names lie within this many bytes at the start of the file, so one read
 * is enough for them. */
#define WINDOW (64u << 10)

unsigned cua_elf_own_machine(void)
{
#if defined(__x86_64__)
    return EM_X86_64;
#else
    return EM_AARCH64;
#endif
}

static bool read_all(struct cua_elf *elf, void *buf, uint64_t size, uint64_t offset)
{
    char *to = buf;

    while (size) {
        ssize_t n = pread(elf->fd, to, size, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            elf->failed = true;
            return false;
        }
        to += n;
        offset += (uint64_t)n;
        size -= (uint64_t)n;
    }
    return true;
}

static bool lies_in(uint64_t whole, uint64_t offset, uint64_t size)
{
    return offset <= whole && size <= whole - offset;
}

static const char *check_header(const Elf64_Ehdr *header, uint64_t size)
{
    if (header->e_type != ET_DYN && header->e_type != ET_EXEC)
        return "not a shared library";
    if (header->e_version != EV_CURRENT || header->e_ehsize < sizeof *header)
        return "its ELF header is damaged";
    if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phnum == 0 ||
        header->e_phnum > MAX_SEGMENTS)
        return "its program headers are damaged";
    if (!lies_in(size, header->e_phoff, (uint64_t)header->e_phnum * sizeof(Elf64_Phdr)))
        return "truncated in its program headers";
    if (header->e_shoff == 0)
        return NULL;
    if (header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shnum == 0)
        return "its section headers are damaged";
    if (!lies_in(size, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr)))
        return "truncated before its section headers";
    return NULL;
}

/* Checks magic number, class, byte order, version and machine in the ELF header. `machine`: the one
 * that is accepted; EM_NONE accepts any. `size`: the file's size. `got`: whether the header could
 * be read. *trouble receives the reason if the result is CUA_ELF_DAMAGED, else "". */
static enum cua_elf_state judge_header(const Elf64_Ehdr *header, bool got, unsigned machine,
                                       uint64_t size, const char **trouble)
{
    *trouble = "";
    if (size < sizeof *header)
        *trouble = size ? "too short for an ELF file" : "empty";
    else if (!got)
        *trouble = "cannot be read";
    else if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        *trouble = "not an ELF file";
    else if (header->e_ident[EI_CLASS] == ELFCLASS32)
        return CUA_ELF_OTHER;
    else if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
             header->e_ident[EI_VERSION] != EV_CURRENT)
        *trouble = "its ELF header is damaged";
    else
        return header->e_machine == machine || machine == EM_NONE ? CUA_ELF_FINE : CUA_ELF_OTHER;
    return CUA_ELF_DAMAGED;
}

enum cua_elf_state cua_elf_glance(const void *head, uint64_t have, unsigned machine)
{
    Elf64_Ehdr header;
    const char *trouble;

    memcpy(&header, head, have < sizeof header ? have : sizeof header);
    return judge_header(&header, true, machine, have, &trouble);
}

static const char *read_segments(struct cua_elf *elf)
{
    const unsigned count = elf->header.e_phnum;

    elf->segment = malloc(count * sizeof *elf->segment);
    elf->failed = !elf->segment;
    if (!elf->segment)
        return "out of memory";
    if (!cua_elf_bytes(elf, elf->header.e_phoff, elf->segment, count * sizeof *elf->segment))
        return "its program headers are damaged";
    for (; elf->segments < count; elf->segments++) {
        const GElf_Phdr *segment = &elf->segment[elf->segments];
        if (segment->p_type == PT_LOAD && !lies_in(elf->size, segment->p_offset, segment->p_filesz))
            return "truncated: a segment lies beyond the end of the file";
    }
    return NULL;
}

static const char *read_dynamic(struct cua_elf *elf)
{
    const GElf_Phdr *dynamic = NULL;
    unsigned count;
    uint64_t strings;

    for (unsigned i = 0; i < elf->segments; i++)
        if (elf->segment[i].p_type == PT_DYNAMIC)
            dynamic = &elf->segment[i];
    if (!dynamic)
        return "it has no dynamic section";
    if (dynamic->p_filesz > MAX_DYNAMIC)
        return "its dynamic section is damaged";
    count = (unsigned)(dynamic->p_filesz / sizeof(Elf64_Dyn));
    elf->entry = malloc(count * sizeof *elf->entry);
    elf->failed = count && !elf->entry;
    if (!elf->entry || !count ||
        !cua_elf_bytes(elf, dynamic->p_offset, elf->entry, count * sizeof *elf->entry))
        return "its dynamic section is damaged";
    while (elf->entries < count && elf->entry[elf->entries].d_tag != DT_NULL)
        elf->entries++;
    if (!cua_elf_value(elf, DT_STRTAB, &strings) ||
        !cua_elf_value(elf, DT_STRSZ, &elf->strings_size) ||
        !cua_elf_offset(elf, strings, elf->strings_size, &elf->strings))
        return "its string table is damaged";
    return NULL;
}

enum cua_elf_state cua_elf_open(struct cua_elf *elf, int fd, const struct stat *st,
                                unsigned machine)
{
    enum cua_elf_state state;
    struct stat own;
    bool got;

    memset(elf, 0, sizeof *elf);
    elf->fd = fd;
    elf->trouble = "not a regular file";
    elf->failed = !st && cua_fstat(fd, &own) != 0;
    st = st ? st : &own;
    if (elf->failed || !S_ISREG(st->st_mode)) {
        cua_elf_close(elf);
        return CUA_ELF_DAMAGED;
    }
    elf->size = (uint64_t)st->st_size;
    elf->window = malloc(WINDOW);
    elf->failed = !elf->window;
    got = elf->window && cua_elf_bytes(elf, 0, &elf->header, sizeof elf->header);
    state = judge_header(&elf->header, got, machine, elf->size, &elf->trouble);
    if (state == CUA_ELF_FINE) {
        elf->trouble = check_header(&elf->header, elf->size);
        if (!elf->trouble)
            elf->trouble = read_segments(elf);
        if (!elf->trouble)
            elf->trouble = read_dynamic(elf);
        if (elf->trouble)
            state = CUA_ELF_DAMAGED;
    }
    if (state != CUA_ELF_FINE)
        cua_elf_close(elf);
    return state;
}

void cua_elf_close(struct cua_elf *elf)
{
    elf_end(elf->elf);
    free(elf->window);
    free(elf->segment);
    free(elf->entry);
    if (elf->fd >= 0)
        close(elf->fd);
}

Elf *cua_elf_handle(struct cua_elf *elf)
{
    if (elf->elf)
        return elf->elf;
    elf_version(EV_CURRENT);
    elf->elf = elf_begin(elf->fd, ELF_C_READ, NULL);
    if (elf->elf && elf_kind(elf->elf) != ELF_K_ELF) {
        elf_end(elf->elf);
        elf->elf = NULL;
    }
    return elf->elf;
}

bool cua_elf_offset(const struct cua_elf *elf, uint64_t address, uint64_t size, uint64_t *offset)
{
    for (unsigned i = 0; i < elf->segments; i++) {
        const GElf_Phdr *s = &elf->segment[i];
        if (s->p_type != PT_LOAD || address < s->p_vaddr ||
            !lies_in(s->p_filesz, address - s->p_vaddr, size))
            continue;
        *offset = s->p_offset + (address - s->p_vaddr);
        return true;
    }
    return false;
}

/* Copies the bytes from the window if it has all of them. Otherwise reads more than 256 bytes, such
 * as a whole table, directly. For fewer bytes, refills the window from `offset` on, because the
 * bytes that follow are likely to be needed next. */
bool cua_elf_bytes(struct cua_elf *elf, uint64_t offset, void *buf, uint64_t size)
{
    if (!lies_in(elf->size, offset, size))
        return false;
    if (offset < elf->at || offset + size > elf->at + elf->have) {
        if (size > 256)
            return read_all(elf, buf, size, offset);
        elf->at = offset;
        elf->have = elf->size - offset < WINDOW ? elf->size - offset : WINDOW;
        if (!read_all(elf, elf->window, elf->have, offset)) {
            elf->have = 0;
            return false;
        }
    }
    memcpy(buf, elf->window + (offset - elf->at), size);
    return true;
}

bool cua_elf_value(const struct cua_elf *elf, int64_t tag, uint64_t *value)
{
    for (unsigned i = 0; i < elf->entries; i++) {
        if (elf->entry[i].d_tag == tag) {
            *value = elf->entry[i].d_un.d_val;
            return true;
        }
    }
    return false;
}

bool cua_elf_string(struct cua_elf *elf, uint64_t at, char *buf, uint64_t size)
{
    uint64_t rest;

    buf[0] = 0;
    if (at >= elf->strings_size)
        return false;
    rest = elf->strings_size - at;
    if (rest > size)
        rest = size;
    if (!cua_elf_bytes(elf, elf->strings + at, buf, rest))
        memset(buf, 'x', rest);
    if (memchr(buf, 0, rest))
        return true;
    buf[0] = 0;
    return false;
}

bool cua_elf_needs(struct cua_elf *elf, const char *prefix, char *name, uint64_t size)
{
    for (unsigned i = 0; i < elf->entries; i++)
        if (elf->entry[i].d_tag == DT_NEEDED &&
            cua_elf_string(elf, elf->entry[i].d_un.d_val, name, size) && cua_starts(name, prefix))
            return true;
    name[0] = 0;
    return false;
}
