/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the DT_NEEDED, DT_AUXILIARY and DT_FILTER entries of a file, and of those files it needs
 * that are not known yet (known.h). Stops at a damaged file, which ld.so will refuse. */
#include "needs.h"

#include <elf.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "known.h"
#include "libpath.h"
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

#define TEXT       8192
#define MOST       256
#define MOST_FILES 64

/* What one call of cua_brings has found so far: all needed libraries, each once, and the files that
 * need them. Too large for a thread's stack, so it has a mapping of its own, which is kept for the
 * next call. */
struct needs {
    char text[TEXT]; /* names, folders and search paths, each followed by a NUL */
    size_t used;
    struct {
        /* One needed library. key: the key of its name (text.h). name: the offset of its name in
         * `text`. file: the index in the array `file` of the first file that needs it. */
        uint64_t key;
        uint16_t name, file;
    } need[MOST];
    size_t count;
    struct cua_paths file[MOST_FILES];
    /* For each file a hash of its search paths. It is mixed into the keys of the libraries that the
     * file needs (known.h). */
    uint64_t searched[MOST_FILES];
    size_t files;
    struct cua_libpath libpath;
};

/* A spare struct needs, taken and returned by atomic exchange. A fork while it is taken only loses
 * its memory. */
static _Atomic(struct needs *) spare;

/* A file whose needs are read. */
struct look {
    const char *bytes; /* the mapped file */
    uint64_t size;
    const Elf64_Phdr *programs;
    size_t count;
};

/* Returns `size` bytes of the file from `offset` on; NULL if the file ends before that. */
static const void *show(const struct look *look, uint64_t offset, uint64_t size)
{
    return offset > look->size || size > look->size - offset ? NULL : look->bytes + offset;
}

/* Returns the string at this offset; NULL if it does not end within the file or is too long. */
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

/* Copies the text into `needs`; NULL if there is no room. */
static const char *keep_text(struct needs *needs, const char *text, size_t length)
{
    char *kept = needs->text + needs->used;

    if (length >= sizeof(needs->text) - needs->used)
        return NULL;
    *cua_mempcpy(kept, text, length) = 0;
    needs->used += length + 1;
    return kept;
}

static enum cua_look add_name(struct needs *needs, const char *name)
{
    size_t length = name ? cua_length(name) : 0, i;
    const char *kept;
    uint64_t key;

    if (!length)
        return name ? CUA_LOOK_DONE : CUA_LOOK_NONE;
    if (cua_name_libc(name))
        return CUA_LOOK_DONE;
    key = cua_key(name);
    for (i = 0; i < needs->count; i++)
        if (needs->need[i].key == key)
            return CUA_LOOK_DONE;
    kept = needs->count < MOST && cua_file(name) == name ? keep_text(needs, name, length) : NULL;
    if (!kept)
        return CUA_LOOK_SHORT;
    needs->need[needs->count].key = key;
    needs->need[needs->count].name = (uint16_t)(kept - needs->text);
    needs->need[needs->count++].file = (uint16_t)(needs->files - 1);
    return CUA_LOOK_DONE;
}

/* Adds a file whose needs are to be read; false if there is no room. `path`, by which it was
 * opened, gives the folder for $ORIGIN if it is absolute. */
static bool add_file(struct needs *needs, const char *path)
{
    struct cua_paths *file = &needs->file[needs->files];
    size_t length = (size_t)(cua_file(path) - path);

    if (needs->files == MOST_FILES)
        return false;
    *file = (struct cua_paths){.origin = NULL};
    if (*path == '/' && length) {
        file->length = length > 1 ? length - 1 : length;
        file->origin = keep_text(needs, path, file->length);
        if (!file->origin)
            return false;
    }
    needs->searched[needs->files++] = 2;
    return true;
}

static const char *keep_path(struct needs *needs, const struct look *look, uint64_t offset)
{
    const char *path = show_name(look, offset);

    return path ? keep_text(needs, path, cua_length(path)) : NULL;
}

/* A hash of the file's search paths; 2 if it has none. The same name may lead to another file if a
 * file with other search paths needs it. */
static uint64_t key_of_search(const struct cua_paths *file)
{
    uint64_t key = file->origin ? cua_key(file->origin) : 0;

    if (!file->runpath && !file->rpath)
        return 2;
    return (key + cua_key(file->runpath ?: file->rpath)) >> 1 ^ !file->runpath << 1;
}

static enum cua_look read_dynamic(const struct look *look, struct needs *needs)
{
    uint64_t strings = 0, rpath = 0, runpath = 0;
    const Elf64_Phdr *dynamic = look->programs + look->count;
    struct cua_paths *file = &needs->file[needs->files - 1];
    enum cua_look result = CUA_LOOK_DONE;
    const Elf64_Dyn *first, *entry, *end;

    while (dynamic > look->programs && dynamic[-1].p_type != PT_DYNAMIC)
        dynamic--;
    if (dynamic-- == look->programs)
        return CUA_LOOK_DONE;
    first = show(look, dynamic->p_offset, dynamic->p_filesz);
    if (!first || dynamic->p_offset % sizeof(uint64_t))
        return CUA_LOOK_NONE;
    end = first + dynamic->p_filesz / sizeof(*entry);
    for (entry = first; entry < end && entry->d_tag; entry++) {
        if (entry->d_tag == DT_STRTAB)
            strings = to_offset(look, entry->d_un.d_ptr);
        else if (entry->d_tag == DT_RPATH)
            rpath = entry->d_un.d_val;
        else if (entry->d_tag == DT_RUNPATH)
            runpath = entry->d_un.d_val;
    }
    if (strings && runpath && !(file->runpath = keep_path(needs, look, strings + runpath)))
        return CUA_LOOK_SHORT;
    if (strings && rpath && !runpath && !(file->rpath = keep_path(needs, look, strings + rpath)))
        return CUA_LOOK_SHORT;
    needs->searched[needs->files - 1] = key_of_search(file);
    for (entry = first; entry < end && entry->d_tag && result == CUA_LOOK_DONE; entry++)
        if (entry->d_tag == DT_NEEDED || entry->d_tag == DT_AUXILIARY || entry->d_tag == DT_FILTER)
            result = !strings || entry->d_un.d_val > UINT32_MAX
                         ? CUA_LOOK_NONE
                         : add_name(needs, show_name(look, strings + entry->d_un.d_val));
    return result;
}

/* Whether the file begins as a 64-bit little-endian ELF file. Uses read(), as ld.so does: if the
 * file system fails, read() returns an error, but reading mapped bytes would end the program by
 * SIGBUS. */
static bool is_elf(int fd)
{
    char ident[sizeof(IDENT)] = "";

    return cua_syscall(SYS_read, fd, (long)ident, sizeof(IDENT) - 1, 0, 0, 0) > 0 &&
           cua_same(ident, IDENT);
}

static enum cua_look add_needs(struct needs *needs, const char *path, int fd)
{
    enum cua_look result = CUA_LOOK_NONE;
    struct stat st;
    struct look look = {.bytes = NULL};

    if (is_elf(fd))
        look.bytes = cua_sys_map_whole(fd, &st);
    else
        cua_sys_close(fd);
    if (!look.bytes)
        return CUA_LOOK_NONE;
    look.size = (uint64_t)st.st_size;
    if (!add_file(needs, path))
        result = CUA_LOOK_SHORT;
    else if (find_programs(&look))
        result = read_dynamic(&look, needs);
    cua_sys_unmap(look.bytes, look.size);
    return result;
}

/* Reads the file `fd`. Then finds and reads each needed library that is not known, until none is
 * left or one of them decides the result. */
static enum cua_look look_into(struct needs *needs, const char *path, int fd)
{
    enum cua_look result = add_needs(needs, path, fd);
    const char *name;
    uint64_t searched;
    size_t i;

    for (i = 0; result == CUA_LOOK_DONE && i < needs->count; i++) {
        name = needs->text + needs->need[i].name;
        if (cua_starts(name, "libcuda.so"))
            return CUA_LOOK_SHORT;
        searched = needs->searched[needs->need[i].file];
        if (cua_is_known(needs->need[i].key) || cua_is_known(needs->need[i].key ^ searched))
            continue;
        fd = cua_libpath_open(&needs->libpath, &needs->file[needs->need[i].file], name);
        if (fd < 0 || add_needs(needs, needs->libpath.path, fd) != CUA_LOOK_DONE)
            result = CUA_LOOK_SHORT;
    }
    for (i = 0; result == CUA_LOOK_DONE && !needs->libpath.relative && i < needs->count; i++)
        cua_know(needs->need[i].key ^ needs->searched[needs->need[i].file]);
    return result;
}

static struct needs *take(void)
{
    struct needs *needs = atomic_exchange(&spare, NULL) ?: cua_sys_map(sizeof(*needs));

    if (needs) {
        needs->used = needs->count = needs->files = 0;
        needs->libpath.cache = NULL;
        needs->libpath.kept = needs->libpath.relative = false;
    }
    return needs;
}

static void give_back(struct needs *needs)
{
    if (!needs->libpath.kept)
        cua_sys_unmap(needs->libpath.cache, needs->libpath.size);
    cua_sys_unmap(atomic_exchange(&spare, needs), sizeof(*needs));
}

enum cua_look cua_brings(const char *path, const struct link_map *caller)
{
    struct needs *needs = cua_has(path, '$') ? NULL : take();
    enum cua_look result = CUA_LOOK_NONE;
    struct cua_paths paths;
    bool relative;
    int fd;

    if (!needs)
        return CUA_LOOK_SHORT;
    if (caller)
        cua_paths_of(&paths, caller);
    fd = caller ? cua_libpath_open(&needs->libpath, &paths, path) : cua_sys_open(path);
    if (fd >= 0)
        result = look_into(needs, caller ? needs->libpath.path : path, fd);
    relative = needs->libpath.relative;
    give_back(needs);
    if (result == CUA_LOOK_DONE && relative)
        return CUA_LOOK_NOW;
    return result == CUA_LOOK_NONE && caller && fd != -ENOENT ? CUA_LOOK_SHORT : result;
}
