/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the DT_NEEDED of a file, and of the files that it needs and that are not mapped yet.
 * Allocates nothing. It stops at a damaged file, which ld.so will refuse. */
#include "needs.h"

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#include "libpath.h"
#include "mapped.h"
#include "syscalls.h"
#include "text.h"

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif

#define IDENT ELFMAG "\2\1" /* 64 bits, little-endian */
#define NAME  2048

static const char libc_names[] =
    "libc.so.6\0libm.so.6\0libdl.so.2\0libpthread.so.0\0librt.so.1\0libutil.so.1\0libgcc_s.so.1\0"
    "libstdc++.so.6\0ld-linux-x86-64.so.2\0ld-linux-aarch64.so.1\0";

bool cua_name_libc(const char *file)
{
    const char *name = libc_names;

    while (*name && !cua_same(name, file))
        name += cua_length(name) + 1;
    return *name;
}

/* All needs found so far, each once: their names, each with its NUL, and their keys (text.h). A
 * key of 0 marks a library that brings nothing in. */
struct needs {
    char text[2048];
    uint64_t key[96];
    size_t used, count;
    bool has_paths; /* one of the libraries has a search path of its own */
};

struct look {
    const char *bytes; /* of the mapped file */
    uint64_t size;
    const Elf64_Phdr *programs;
    size_t count;
};

/* `size` bytes from `offset` on; NULL if the file ends before. */
static const void *show(const struct look *look, uint64_t offset, uint64_t size)
{
    return offset > look->size || size > look->size - offset ? NULL : look->bytes + offset;
}

/* The name at this offset; NULL if it is not there or too long. */
static const char *show_name(const struct look *look, uint64_t offset)
{
    uint64_t length = 0;

    while (length < NAME && show(look, offset, length + 1) && look->bytes[offset + length])
        length++;
    return length < NAME ? show(look, offset, length + 1) : NULL;
}

static bool find_programs(struct look *look)
{
    const Elf64_Ehdr *header = show(look, 0, sizeof(*header));

    if (!header || !cua_starts(look->bytes, IDENT) || header->e_machine != MACHINE ||
        header->e_type != ET_DYN || header->e_phentsize != sizeof(Elf64_Phdr) ||
        header->e_phoff % sizeof(uint64_t))
        return false;
    look->count = header->e_phnum;
    look->programs = show(look, header->e_phoff, look->count * sizeof(Elf64_Phdr));
    return look->programs;
}

static uint64_t to_offset(const struct look *look, uint64_t address)
{
    const Elf64_Phdr *program = look->programs, *end = program + look->count;

    for (; program < end; program++)
        if (program->p_type == PT_LOAD && address - program->p_vaddr < program->p_filesz)
            return address - program->p_vaddr + program->p_offset;
    return 0;
}

static enum cua_look add_name(struct needs *needs, const char *name)
{
    size_t length = name ? cua_length(name) : 0, i;
    uint64_t key;

    if (!length)
        return name ? CUA_LOOK_DONE : CUA_LOOK_NONE;
    key = cua_key(name);
    for (i = 0; i < needs->count; i++)
        if (needs->key[i] == key)
            return CUA_LOOK_DONE;
    if (needs->count == sizeof(needs->key) / sizeof(*needs->key) ||
        needs->used + length >= sizeof(needs->text) || cua_file(name) != name)
        return CUA_LOOK_SHORT;
    cua_mempcpy(needs->text + needs->used, name, length + 1);
    needs->used += length + 1;
    needs->key[needs->count++] = cua_name_libc(name) ? 0 : key;
    return CUA_LOOK_DONE;
}

static enum cua_look read_dynamic(const struct look *look, struct needs *needs)
{
    uint64_t name[sizeof(needs->key) / sizeof(*needs->key)], strings = 0;
    const Elf64_Phdr *dynamic = look->programs + look->count;
    enum cua_look result = CUA_LOOK_DONE;
    const Elf64_Dyn *entry, *end;
    size_t found = 0, i;

    while (dynamic > look->programs && dynamic[-1].p_type != PT_DYNAMIC)
        dynamic--;
    if (dynamic-- == look->programs)
        return CUA_LOOK_DONE;
    entry = show(look, dynamic->p_offset, dynamic->p_filesz);
    if (!entry || dynamic->p_offset % sizeof(uint64_t))
        return CUA_LOOK_NONE;
    for (end = entry + dynamic->p_filesz / sizeof(*entry); entry < end && entry->d_tag; entry++) {
        if (entry->d_tag == DT_STRTAB)
            strings = to_offset(look, entry->d_un.d_ptr);
        needs->has_paths |= entry->d_tag == DT_RPATH || entry->d_tag == DT_RUNPATH;
        if (entry->d_tag != DT_NEEDED && entry->d_tag != DT_AUXILIARY && entry->d_tag != DT_FILTER)
            continue;
        if (found == sizeof(name) / sizeof(*name))
            return CUA_LOOK_SHORT;
        name[found++] = entry->d_un.d_val;
    }
    for (i = 0; i < found && result == CUA_LOOK_DONE; i++)
        result = !strings || name[i] > UINT32_MAX
                     ? CUA_LOOK_NONE
                     : add_name(needs, show_name(look, strings + name[i]));
    return result;
}

static enum cua_look add_needs(struct needs *needs, int fd)
{
    enum cua_look result = CUA_LOOK_NONE;
    struct stat st;
    struct look look = {.bytes = cua_sys_map_whole(fd, &st)};

    if (!look.bytes)
        return CUA_LOOK_NONE;
    look.size = (uint64_t)st.st_size;
    if (find_programs(&look))
        result = read_dynamic(&look, needs);
    cua_sys_unmap(look.bytes, look.size);
    return result;
}

/* Finds and reads each needed file that is not mapped, until none is left. Not inlined, so that its
 * frame is gone when the engine is asked: some threads have small stacks. */
static __attribute__((noinline)) enum cua_look look_into(struct cua_libpath *libpath, int fd)
{
    struct needs needs;
    const char *name = needs.text;
    size_t done = 0, known = 0;
    enum cua_look result;

    needs.used = needs.count = 0;
    needs.has_paths = false;
    result = add_needs(&needs, fd);
    for (; result == CUA_LOOK_DONE && done < needs.count; done++, name += cua_length(name) + 1) {
        if (done == known) {
            cua_are_mapped(needs.key + known, needs.count - known, true);
            known = needs.count;
        }
        if (!needs.key[done])
            continue;
        fd = -1;
        if (!needs.has_paths && !cua_starts(name, "libcuda.so"))
            fd = cua_libpath_open(libpath, name);
        if (fd < 0 || add_needs(&needs, fd) != CUA_LOOK_DONE)
            result = CUA_LOOK_SHORT;
    }
    return result;
}

enum cua_look cua_brings(const char *path, bool is_name)
{
    struct cua_libpath libpath = {NULL, 0, false};
    enum cua_look result = is_name ? CUA_LOOK_SHORT : CUA_LOOK_NONE;
    int fd;

    if (cua_has(path, '$'))
        return CUA_LOOK_SHORT;
    fd = is_name ? cua_libpath_open(&libpath, path) : cua_sys_open(path);
    if (fd >= 0)
        result = look_into(&libpath, fd);
    if (!libpath.kept)
        cua_sys_unmap(libpath.cache, libpath.size);
    return result == CUA_LOOK_NONE && is_name ? CUA_LOOK_SHORT : result;
}
