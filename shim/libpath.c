/* SPDX-License-Identifier: Apache-2.0 */
/* Searches as ld.so does: RPATH, LD_LIBRARY_PATH, RUNPATH, the cache. A search path's subfolders
 * with builds for newer processors (glibc-hwcaps) are not searched: those builds are assumed to
 * need the same libraries as the ordinary one. */
#include "libpath.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>

#include "objects.h"
#include "state.h"
#include "syscalls.h"
#include "text.h"

#define CACHE "/etc/ld.so.cache"
#if defined(__x86_64__)
#define WANTED 0x0303 /* flags of a cache entry: libc6, x86-64 */
#else
#define WANTED 0x0a03 /* flags of a cache entry: libc6, AArch64 */
#endif

struct cache_entry {
    int32_t flags;
    uint32_t key, value, version;
    uint64_t hwcap;
};

struct header {
    char magic[20];
    uint32_t count, rest[6];
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Compares two library names as strcmp does, but numbers in them by value, as ldconfig does. `b`
 * lies in the cache and is read only up to `end`. */
static long compare(const char *a, const char *b, const char *end)
{
    unsigned long x, y;

    while (b < end && *a && (*a == *b || (is_digit(*a) && is_digit(*b)))) {
        if (!is_digit(*a)) {
            a++;
            b++;
            continue;
        }
        for (x = 0; is_digit(*a); a++)
            x = x * 10 + (unsigned long)(*a - '0');
        for (y = 0; b < end && is_digit(*b); b++)
            y = y * 10 + (unsigned long)(*b - '0');
        if (x != y)
            return x < y ? -1 : 1;
    }
    if (b == end)
        return 1;
    if (is_digit(*a) != is_digit(*b))
        return is_digit(*a) ? 1 : -1;
    return (long)(unsigned char)*a - (long)(unsigned char)*b;
}

static int open_value(struct cua_libpath *libpath, size_t value)
{
    size_t end = value;

    while (end < libpath->size && libpath->cache[end])
        end++;
    if (end >= libpath->size || end - value >= sizeof(libpath->path))
        return -1;
    cua_mempcpy(libpath->path, libpath->cache + value, end - value + 1);
    return cua_sys_open(libpath->path);
}

static int open_cached(struct cua_libpath *libpath, const char *name)
{
    const struct header *header = (const struct header *)(const void *)libpath->cache;
    const struct cache_entry *entry = (const struct cache_entry *)(const void *)(header + 1);
    size_t low = 0, high, middle;

    if (libpath->size < sizeof(*header) || !cua_starts(header->magic, "glibc-ld.so.cache1.1") ||
        header->count > (libpath->size - sizeof(*header)) / sizeof(*entry))
        return -1;
    high = header->count;
    /* The entries are sorted in descending order. Finds the first one of this name. */
    while (low < high) {
        middle = low + (high - low) / 2;
        if (entry[middle].key >= libpath->size)
            return -1;
        if (compare(name, libpath->cache + entry[middle].key, libpath->cache + libpath->size) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < header->count && entry[low].key < libpath->size; low++) {
        if (compare(name, libpath->cache + entry[low].key, libpath->cache + libpath->size))
            break;
        if (entry[low].flags == WANTED)
            return open_value(libpath, entry[low].value);
    }
    return -ENOENT;
}

/* ld.so's cache, as the file was when this process first mapped it. It stays mapped, because
 * mapping it for each name would cost half as much as ld.so's own search. */
static struct {
    /* A thread has begun to fill in the other fields. */
    _Atomic(bool) taken;
    _Atomic(const char *) cache; /* set last, when `as` is valid */
    /* What stat returned for the file. */
    struct stat as;
} kept;

static bool is_kept(const struct stat *st)
{
    return atomic_load(&kept.cache) && st->st_ino == kept.as.st_ino &&
           st->st_dev == kept.as.st_dev && st->st_size == kept.as.st_size &&
           st->st_ctim.tv_sec == kept.as.st_ctim.tv_sec &&
           st->st_ctim.tv_nsec == kept.as.st_ctim.tv_nsec;
}

static void map_cache(struct cua_libpath *libpath)
{
    struct stat st;

    libpath->kept = cua_sys_stat(CACHE, &st) == 0 && is_kept(&st);
    libpath->cache = libpath->kept ? kept.cache : cua_sys_map_whole(cua_sys_open(CACHE), &st);
    libpath->size = libpath->cache ? (size_t)st.st_size : 0;
    if (libpath->kept || !libpath->cache || atomic_exchange(&kept.taken, true))
        return;
    /* Not an assignment, which clang would compile to a call of libc's memcpy. */
    cua_mempcpy((char *)&kept.as, (const char *)&st, sizeof(st));
    atomic_store(&kept.cache, libpath->cache);
    libpath->kept = true;
}

/* Writes to libpath->path the folder of one entry of a search path, and a slash. The entry ends at
 * `end`; an empty one is the current folder. Returns the end of what it wrote. NULL if the folder
 * is too long or not certain: $ORIGIN is not known, or is not at the start, or there is another
 * variable such as $LIB. */
static char *write_folder(struct cua_libpath *libpath, const struct cua_paths *paths,
                          const char *entry, const char *end)
{
    static const char plain[] = "$ORIGIN", braced[] = "${ORIGIN}";
    char *to = libpath->path;
    size_t skip = 0;

    if (cua_starts(entry, plain) &&
        (entry + sizeof(plain) - 1 == end || entry[sizeof(plain) - 1] == '/'))
        skip = sizeof(plain) - 1;
    else if (cua_starts(entry, braced))
        skip = sizeof(braced) - 1;
    if (skip && (!paths || !paths->origin))
        return NULL;
    if ((size_t)(end - entry) + (skip ? paths->length : 0) + 2 >= sizeof(libpath->path))
        return NULL;
    if (skip)
        to = cua_mempcpy(to, paths->origin, paths->length);
    else if (entry == end)
        *to++ = '.';
    for (entry += skip; entry < end; entry++) {
        if (*entry == '$')
            return NULL;
        *to++ = *entry;
    }
    *to++ = '/';
    return to;
}

/* Searches the folders of `list`, a search path. Returns a descriptor of the file; 0 if no folder
 * has it; a negative number if a folder cannot be determined, or if opening fails with an error
 * other than ENOENT and ENOTDIR. */
static int open_listed(struct cua_libpath *libpath, const char *list, const struct cua_paths *paths,
                       const char *name)
{
    const char *end;
    char *to;
    int fd;

    for (list = list && *list ? list : NULL; list; list = *end ? end + 1 : NULL) {
        for (end = list; *end && *end != ':' && *end != ';';)
            end++;
        to = write_folder(libpath, paths, list, end);
        if (!to || (size_t)(to - libpath->path) + cua_length(name) >= sizeof(libpath->path))
            return -1;
        cua_mempcpy(to, name, cua_length(name) + 1);
        fd = cua_sys_open(libpath->path);
        if (!fd) /* if stdin is closed, open may return 0; but to the caller 0 means "not found" */
            cua_sys_close(fd);
        if (fd != -ENOENT && fd != -ENOTDIR) {
            libpath->relative |= *libpath->path != '/';
            return fd > 0 ? fd : -1;
        }
    }
    return 0;
}

/* The program's path, which ld.so's list does not contain. Never unmapped once it is set. NULL: not
 * read yet, not needed, or not readable. */
static _Atomic(const char *) program_path;

static bool has_origin(const char *list)
{
    return list && cua_has(list, '$');
}

void cua_libpath_prepare(void)
{
    const struct link_map *program = atomic_load(&program_path) ? NULL : cua_objects();
    const char *none = NULL;
    char *path;
    long n;

    if (!program || (!has_origin(cua_object_text(program, DT_RPATH)) &&
                     !has_origin(cua_object_text(program, DT_RUNPATH))))
        return;
    path = cua_sys_map(CUA_LIBPATH_MOST);
    if (!path)
        return;
    n = cua_syscall(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)path,
                    CUA_LIBPATH_MOST - 1, 0, 0);
    if (n <= 0 || *path != '/' || !atomic_compare_exchange_strong(&program_path, &none, path))
        cua_sys_unmap(path, CUA_LIBPATH_MOST);
}

void cua_paths_of(struct cua_paths *paths, const struct link_map *object)
{
    const char *path = object->l_name;

    *paths = (struct cua_paths){.rpath = cua_object_text(object, DT_RPATH),
                                .runpath = cua_object_text(object, DT_RUNPATH)};
    if (!*path)
        path = atomic_load(&program_path);
    if (path && *path == '/') {
        paths->origin = path;
        paths->length = (size_t)(cua_file(path) - path) - 1;
    }
}

int cua_libpath_open(struct cua_libpath *libpath, const struct cua_paths *paths, const char *name)
{
    const struct link_map *program = paths->runpath ? NULL : cua_objects();
    struct cua_paths own;
    int fd = 0;

    if (!paths->runpath)
        fd = open_listed(libpath, paths->rpath, paths, name);
    if (!fd && program && !cua_object_text(program, DT_RUNPATH)) {
        cua_paths_of(&own, program);
        fd = open_listed(libpath, own.rpath, &own, name);
    }
    if (!fd)
        fd = open_listed(libpath, CUA_GET(library_path), NULL, name);
    if (!fd)
        fd = open_listed(libpath, paths->runpath, paths, name);
    if (fd)
        return fd;
    if (!libpath->cache)
        map_cache(libpath);
    return libpath->cache ? open_cached(libpath, name) : -ENOENT;
}
