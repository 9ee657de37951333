/* SPDX-License-Identifier: Apache-2.0 */
#include <elf.h>

#include "needs.h"
#include "syscalls.h"
#include "text.h"

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif

#define WINDOW  1024
#define LOADS   8
#define NEEDED  48
#define ENTRIES 512 /* of the dynamic section */

struct look {
    int fd;
    union {
        char bytes[WINDOW];
        Elf64_Ehdr header;
        Elf64_Phdr programs[WINDOW / sizeof(Elf64_Phdr)];
        Elf64_Dyn entries[WINDOW / sizeof(Elf64_Dyn)];
    } window;
    uint64_t at, have; /* what of the file the window shows */
    struct {
        uint64_t address, offset, size;
    } load[LOADS];
    size_t loads;
    uint64_t dynamic, dynamic_size;
    uint64_t strings;
    uint64_t need[NEEDED];
    size_t needs;
};

static bool show(struct look *look, uint64_t offset)
{
    long got = cua_sys_pread(look->fd, look->window.bytes, WINDOW, offset);

    look->at = offset;
    look->have = got > 0 ? (uint64_t)got : 0;
    return got > 0;
}

static enum cua_needs read_programs(struct look *look, uint64_t offset, size_t count)
{
    const Elf64_Phdr *header;
    size_t i;

    if (count > WINDOW / sizeof(*header))
        return CUA_NEEDS_UNUSUAL;
    /* Nearly always right behind the ELF header, and so in the window already. */
    if (offset % 8 || offset + count * sizeof(*header) > look->have) {
        if (!show(look, offset) || count * sizeof(*header) > look->have)
            return CUA_NEEDS_UNREADABLE;
        offset = 0;
    }
    header = (const Elf64_Phdr *)(const void *)(look->window.bytes + offset);
    for (i = 0; i < count; i++, header++) {
        if (header->p_type == PT_DYNAMIC) {
            look->dynamic = header->p_offset;
            look->dynamic_size = header->p_filesz;
        }
        if (header->p_type != PT_LOAD)
            continue;
        if (look->loads == LOADS)
            return CUA_NEEDS_UNUSUAL;
        look->load[look->loads].address = header->p_vaddr;
        look->load[look->loads].offset = header->p_offset;
        look->load[look->loads].size = header->p_filesz;
        look->loads++;
    }
    return CUA_NEEDS_READ;
}

static enum cua_needs read_header(struct look *look)
{
    const Elf64_Ehdr *header = &look->window.header;

    if (!show(look, 0) || look->have < sizeof(*header))
        return CUA_NEEDS_UNREADABLE;
    if (header->e_ident[0] != ELFMAG0 || header->e_ident[1] != ELFMAG1 ||
        header->e_ident[2] != ELFMAG2 || header->e_ident[3] != ELFMAG3 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_machine != MACHINE || header->e_type != ET_DYN ||
        header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phoff > UINT32_MAX)
        return CUA_NEEDS_UNREADABLE;
    return read_programs(look, header->e_phoff, header->e_phnum);
}

static bool to_offset(const struct look *look, uint64_t address, uint64_t *offset)
{
    size_t i;

    for (i = 0; i < look->loads; i++) {
        if (address < look->load[i].address ||
            address - look->load[i].address >= look->load[i].size)
            continue;
        *offset = address - look->load[i].address + look->load[i].offset;
        return true;
    }
    return false;
}

static enum cua_needs read_dynamic(struct look *look)
{
    size_t count = look->dynamic_size / sizeof(Elf64_Dyn), i, in;
    bool strings = false;
    Elf64_Dyn entry;

    if (count > ENTRIES)
        return CUA_NEEDS_UNUSUAL;
    for (i = 0; i < count; i++) {
        in = i % (WINDOW / sizeof(entry));
        if (!in && !show(look, look->dynamic + i * sizeof(entry)))
            return CUA_NEEDS_UNREADABLE;
        if ((in + 1) * sizeof(entry) > look->have)
            return CUA_NEEDS_UNREADABLE;
        entry = look->window.entries[in];
        if (entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag == DT_STRTAB)
            strings = to_offset(look, entry.d_un.d_ptr, &look->strings);
        if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_AUXILIARY && entry.d_tag != DT_FILTER)
            continue;
        if (look->needs == NEEDED)
            return CUA_NEEDS_UNUSUAL;
        look->need[look->needs++] = entry.d_un.d_val;
    }
    return strings ? CUA_NEEDS_READ : CUA_NEEDS_UNREADABLE;
}

/* The name at this offset, ended within the window; NULL: it is not there or too long. */
static const char *read_name(struct look *look, uint64_t offset)
{
    bool fresh = false;
    uint64_t i;

    for (;;) {
        if (offset >= look->at && offset < look->at + look->have) {
            for (i = offset - look->at; i < look->have; i++)
                if (!look->window.bytes[i])
                    return look->window.bytes + (offset - look->at);
        }
        if (fresh || !show(look, offset))
            return NULL;
        fresh = true;
    }
}

static enum cua_needs read_names(struct look *look, bool (*visit)(const char *name))
{
    const char *name;
    size_t i;

    for (i = 0; i < look->needs; i++) {
        if (look->need[i] > UINT32_MAX)
            return CUA_NEEDS_UNREADABLE;
        name = read_name(look, look->strings + look->need[i]);
        if (!name)
            return CUA_NEEDS_UNREADABLE;
        if (*name && !visit(name))
            return CUA_NEEDS_STOPPED;
    }
    return CUA_NEEDS_READ;
}

enum cua_needs cua_needs(const char *path, bool (*visit)(const char *name))
{
    enum cua_needs result;
    struct look look;

    look.fd = cua_sys_open(path);
    if (look.fd < 0)
        return CUA_NEEDS_UNREADABLE;
    look.loads = look.needs = 0;
    look.dynamic = look.dynamic_size = 0;
    result = read_header(&look);
    if (result == CUA_NEEDS_READ)
        result = read_dynamic(&look);
    if (result == CUA_NEEDS_READ)
        result = read_names(&look, visit);
    cua_sys_close(look.fd);
    return result;
}
