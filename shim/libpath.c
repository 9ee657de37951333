/* SPDX-License-Identifier: Apache-2.0 */
/* Searches LD_LIBRARY_PATH, then the cache. Builds for newer processors in subfolders
 * (glibc-hwcaps) are left out: they need the same libraries as the common one. */
#include "libpath.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>

#include "mapped.h"
#include "state.h"
#include "syscalls.h"
#include "text.h"

#define CACHE "/etc/ld.so.cache"
#if defined(__x86_64__)
#define WANTED 0x0303 /* libc6, x86-64 */
#else
#define WANTED 0x0a03 /* libc6, AArch64 */
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

/* In the order of ldconfig, which compares numbers by value. Reads b only up to `end`. */
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

static int open_value(const struct cua_libpath *libpath, size_t value)
{
    size_t end = value;

    while (end < libpath->size && libpath->cache[end])
        end++;
    return end < libpath->size ? cua_sys_open(libpath->cache + value) : -1;
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
    /* Sorted in descending order: finds the first of the equal entries. */
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
    return -1;
}

/* The first cache stays mapped: to map it for each name costs half as much as ld.so's search. */
static struct {
    _Atomic(bool) taken;
    _Atomic(const char *) cache; /* set last */
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
    cua_mempcpy((char *)&kept.as, (const char *)&st, sizeof(st)); /* clang assigns by memcpy */
    atomic_store(&kept.cache, libpath->cache);
    libpath->kept = true;
}

/* The open file; 0 if no folder has it; negative if it is not certain. */
static int open_listed(const char *name)
{
    const char *list = CUA_GET(library_path), *end;
    char path[512], *to;
    int fd;

    /* An empty entry is the current folder. */
    for (list = list && *list ? list : NULL; list; list = *end ? end + 1 : NULL) {
        for (end = list; *end && *end != ':' && *end != ';';)
            end++;
        if (*list != '/' || (size_t)(end - list) + 1 + cua_length(name) >= sizeof(path))
            return -1;
        to = cua_mempcpy(path, list, (size_t)(end - list));
        *to++ = '/';
        cua_mempcpy(to, name, cua_length(name) + 1);
        if (cua_has(path, '$'))
            return -1;
        fd = cua_sys_open(path);
        if (fd != -ENOENT && fd != -ENOTDIR)
            return fd ? fd : -1;
    }
    return 0;
}

int cua_libpath_open(struct cua_libpath *libpath, const char *name)
{
    int fd = cua_mapped_has_paths() ? -1 : open_listed(name);

    if (fd)
        return fd;
    if (!libpath->cache)
        map_cache(libpath);
    return libpath->cache ? open_cached(libpath, name) : -1;
}
