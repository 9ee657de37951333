/* SPDX-License-Identifier: Apache-2.0 */
#include <elf.h>

#include "names.h"
#include "needs.h"
#include "syscalls.h"
#include "text.h"

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif

#define WINDOW   2048
#define PROGRAMS 18
#define LOADS    8
#define ENTRIES  512 /* of the dynamic section */

struct look {
    int fd;
    char window[WINDOW];
    uint64_t at, have; /* what of the file the window shows */
    struct {
        uint64_t address, offset, size;
    } load[LOADS];
    size_t loads;
    uint64_t dynamic, dynamic_size;
    uint64_t strings;
    size_t needs;
};

/* How many bytes from `offset` on the window shows, and where. */
static uint64_t in_window(const struct look *look, uint64_t offset, const char **bytes)
{
    if (offset < look->at || offset - look->at >= look->have)
        return 0;
    *bytes = look->window + (offset - look->at);
    return look->have - (offset - look->at);
}

static bool show(struct look *look, uint64_t offset)
{
    long got = cua_sys_pread(look->fd, look->window, WINDOW, offset);

    look->at = offset;
    look->have = got > 0 ? (uint64_t)got : 0;
    return got > 0;
}

/* The same; at least `size`, or 0 where the file ends before. */
static uint64_t bytes_at(struct look *look, uint64_t offset, uint64_t size, const char **bytes)
{
    uint64_t have = in_window(look, offset, bytes);

    if (have >= size)
        return have;
    *bytes = look->window;
    return show(look, offset) && look->have >= size ? look->have : 0;
}

static enum cua_needs read_programs(struct look *look, uint64_t offset, size_t count)
{
    const char *bytes;
    Elf64_Phdr header;

    if (count > PROGRAMS)
        return CUA_NEEDS_UNUSUAL;
    for (; count; count--, offset += sizeof(header)) {
        if (!bytes_at(look, offset, sizeof(header), &bytes))
            return CUA_NEEDS_UNREADABLE;
        __builtin_memcpy(&header, bytes, sizeof(header));
        if (header.p_type == PT_DYNAMIC) {
            look->dynamic = header.p_offset;
            look->dynamic_size = header.p_filesz;
        }
        if (header.p_type != PT_LOAD)
            continue;
        if (look->loads == LOADS)
            return CUA_NEEDS_UNUSUAL;
        look->load[look->loads].address = header.p_vaddr;
        look->load[look->loads].offset = header.p_offset;
        look->load[look->loads].size = header.p_filesz;
        look->loads++;
    }
    return CUA_NEEDS_READ;
}

static enum cua_needs read_header(struct look *look)
{
    const char *bytes;
    Elf64_Ehdr header;

    if (!bytes_at(look, 0, sizeof(header), &bytes))
        return CUA_NEEDS_UNREADABLE;
    __builtin_memcpy(&header, bytes, sizeof(header));
    if (header.e_ident[0] != ELFMAG0 || header.e_ident[1] != ELFMAG1 ||
        header.e_ident[2] != ELFMAG2 || header.e_ident[3] != ELFMAG3 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_machine != MACHINE || header.e_type != ET_DYN ||
        header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phoff > UINT32_MAX)
        return CUA_NEEDS_UNREADABLE;
    return read_programs(look, header.e_phoff, header.e_phnum);
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

static enum cua_needs read_dynamic(struct look *look, uint64_t *keys)
{
    size_t count = look->dynamic_size / sizeof(Elf64_Dyn);
    uint64_t at = look->dynamic, have = 0;
    const char *bytes = NULL;
    bool strings = false;
    Elf64_Dyn entry;

    if (count > ENTRIES)
        return CUA_NEEDS_UNUSUAL;
    for (; count; count--, at += sizeof(entry), bytes += sizeof(entry), have -= sizeof(entry)) {
        if (have < sizeof(entry))
            have = bytes_at(look, at, sizeof(entry), &bytes);
        if (!have)
            return CUA_NEEDS_UNREADABLE;
        __builtin_memcpy(&entry, bytes, sizeof(entry));
        if (entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag == DT_STRTAB)
            strings = to_offset(look, entry.d_un.d_ptr, &look->strings);
        if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_AUXILIARY && entry.d_tag != DT_FILTER)
            continue;
        if (look->needs == CUA_NEEDS_MAX)
            return CUA_NEEDS_UNUSUAL;
        keys[look->needs++] = entry.d_un.d_val;
    }
    return strings ? CUA_NEEDS_READ : CUA_NEEDS_UNREADABLE;
}

/* The name at this offset; NULL: it is not there or longer than the window. */
static const char *read_name(struct look *look, uint64_t offset)
{
    const char *bytes = NULL;
    uint64_t have = in_window(look, offset, &bytes), i;
    bool fresh = false;

    for (;;) {
        for (i = 0; i < have; i++)
            if (!bytes[i])
                return bytes;
        if (fresh || !show(look, offset))
            return NULL;
        bytes = look->window;
        have = look->have;
        fresh = true;
    }
}

/* The keys of the names take the place of their offsets; libc's own bring nothing. */
static enum cua_needs read_names(struct look *look, uint64_t *keys)
{
    const char *name;
    size_t i, length;

    for (i = 0; i < look->needs; i++) {
        if (keys[i] > UINT32_MAX)
            return CUA_NEEDS_UNREADABLE;
        name = read_name(look, look->strings + keys[i]);
        if (!name)
            return CUA_NEEDS_UNREADABLE;
        length = cua_length(name);
        if (cua_file(name, length) != name)
            return CUA_NEEDS_UNUSUAL;
        keys[i] = length && !cua_name_libc(name) ? cua_key(name, length) : 0;
    }
    return CUA_NEEDS_READ;
}

enum cua_needs cua_needs(int fd, uint64_t *keys, size_t *count)
{
    enum cua_needs result;
    struct look look;

    look.fd = fd;
    look.at = look.have = 0;
    look.loads = look.needs = 0;
    look.dynamic = look.dynamic_size = 0;
    result = read_header(&look);
    if (result == CUA_NEEDS_READ)
        result = read_dynamic(&look, keys);
    if (result == CUA_NEEDS_READ)
        result = read_names(&look, keys);
    *count = look.needs;
    return result;
}
