/* SPDX-License-Identifier: Apache-2.0 */
/* Reads /etc/ld.so.cache as ld.so does. ldcache.h explains the terms. */
#include "loader/ldcache.h"

#include <elf.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "loader/prefix.h"

/* Limit for the size of a cache. A cache with 20,000 libraries has 2 MB. */
#define MAX_CACHE (64u << 20)

/* A larger cache is not kept in memory; each search reads it again. */
#define MOST_KEPT (1u << 20)

#define OLD_MAGIC "ld.so-1.7.0"
#define NEW_MAGIC "glibc-ld.so.cache1.1"

/* The layout is that of glibc, sysdeps/generic/dl-cache.h. */
struct old_head {
    char magic[sizeof OLD_MAGIC - 1];
    uint32_t count;
};
struct old_entry {
    int32_t flags;
    uint32_t key, value;
};
struct new_head {
    char magic[sizeof NEW_MAGIC - 1];
    uint32_t count;
    uint32_t strings;
    uint8_t flags;
    uint8_t padding[3];
    uint32_t extensions;
    uint32_t unused[3];
};
struct new_entry {
    int32_t flags;
    uint32_t key, value, osversion;
    uint64_t hwcap;
};
_Static_assert(sizeof(struct new_head) == 48, "as glibc lays it out");
_Static_assert(sizeof(struct new_entry) == 24, "as glibc lays it out");

#define EXTENSION_MAGIC  0xeaa42174u
#define EXTENSION_HWCAPS 1
struct extension {
    uint32_t tag, flags, offset, size;
};

#define HWCAP_NAMED      (1ull << 62)
#define HWCAP_NAMED_REST 0x3ffull /* the bits of the ISA level, in the upper 32 bits of hwcap */
#define HWCAP_TLS        (1ull << 63)
#define ENDIAN_MASK      3
#define ENDIAN_LITTLE    2

static int32_t wanted_flags(const struct cua_ldso *ldso)
{
    return ldso->machine == EM_X86_64 ? 0x0303 : 0x0a03;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Compares two names in ldconfig's order, in which a run of digits counts as a number. A text from
 * the cache ends within the cache's memory, because cua_cache_parse has put a NUL at the end of
 * that memory. */
static int compare(const char *a, const char *b)
{
    while (*a) {
        uint32_t x = 0, y = 0;
        if (is_digit(*a) != is_digit(*b))
            return is_digit(*a) ? 1 : -1;
        if (!is_digit(*a)) {
            if (*a != *b)
                return *a - *b;
            a++, b++;
            continue;
        }
        while (is_digit(*a))
            x = x * 10 + (uint32_t)(*a++ - '0');
        while (is_digit(*b))
            y = y * 10 + (uint32_t)(*b++ - '0');
        /* In ld.so these numbers are ints, which may overflow, so they wrap around here too. */
        if (x != y)
            return (int32_t)(x - y);
    }
    return *a - *b;
}

static struct new_entry entry_at(const struct cua_cache *cache, uint32_t index)
{
    struct new_entry entry = {0};

    memcpy(&entry, cache->entries + (size_t)index * cache->entry_size, cache->entry_size);
    return entry;
}

static const char *text_at(const struct cua_cache *cache, uint32_t at)
{
    return at < cache->strings_size ? cache->strings + at : NULL;
}

static void find_hwcaps(struct cua_cache *cache, const struct new_head *head)
{
    struct extension extension;
    uint32_t magic_and_count[2];
    size_t at = head->extensions;

    if (at == 0 || at % 4 || at > cache->size || cache->size - at < sizeof magic_and_count)
        return;
    memcpy(magic_and_count, cache->data + at, sizeof magic_and_count);
    if (magic_and_count[0] != EXTENSION_MAGIC)
        return;
    at += sizeof magic_and_count;
    for (uint32_t i = 0; i < magic_and_count[1]; i++, at += sizeof extension) {
        if (at > cache->size || cache->size - at < sizeof extension)
            return;
        memcpy(&extension, cache->data + at, sizeof extension);
        if (extension.tag != EXTENSION_HWCAPS || extension.offset % 4 || extension.size % 4 ||
            extension.offset > cache->size || extension.size > cache->size - extension.offset)
            continue;
        cache->hwcaps = (const uint32_t *)(const void *)(cache->data + extension.offset);
        cache->hwcap_count = extension.size / 4;
    }
}

/* Records where the cache's texts and entries are. `strings`, `entries`: the offsets in the file at
 * which they begin. False if the file is too short for `count` entries. */
static bool set(struct cua_cache *cache, size_t strings, size_t entries, uint32_t count,
                uint32_t entry_size)
{
    if ((cache->size - entries) / entry_size < count)
        return false;
    cache->strings = cache->data + strings;
    cache->strings_size = cache->size - strings;
    cache->entries = cache->data + entries;
    cache->count = count;
    cache->entry_size = entry_size;
    return true;
}

static bool parse_new(struct cua_cache *cache, size_t at)
{
    struct new_head head;

    if (at > cache->size || cache->size - at < sizeof head)
        return false;
    memcpy(&head, cache->data + at, sizeof head);
    if (memcmp(head.magic, NEW_MAGIC, sizeof head.magic) != 0 ||
        (head.flags & ENDIAN_MASK && (head.flags & ENDIAN_MASK) != ENDIAN_LITTLE) ||
        !set(cache, at, at + sizeof head, head.count, sizeof(struct new_entry)))
        return false;
    find_hwcaps(cache, &head);
    return true;
}

/* Parses a file that begins with a cache in the old format. In a file with both formats, the string
 * table of the old cache contains a cache in the new format. Then only the new one is used. */
static bool parse_old(struct cua_cache *cache)
{
    struct old_head head;
    size_t end;

    if (cache->size < sizeof head)
        return false;
    memcpy(&head, cache->data, sizeof head);
    end = sizeof head + (size_t)head.count * sizeof(struct old_entry);
    return memcmp(head.magic, OLD_MAGIC, sizeof head.magic) == 0 && end <= cache->size &&
           (parse_new(cache, (end + 7) / 8 * 8) ||
            set(cache, end, sizeof head, head.count, sizeof(struct old_entry)));
}

int cua_cache_parse(struct cua_cache *cache, char *data, size_t size)
{
    memset(cache, 0, sizeof *cache);
    cache->data = data;
    cache->size = size;
    data[size] = 0; /* in a damaged file, the last text may lack its NUL */
    if (parse_new(cache, 0) || parse_old(cache))
        return 0;
    cua_cache_close(cache);
    return -ENOEXEC;
}

/* Returns the path of the cache that the subject's ld.so reads; "" if it reads none. */
static const char *file_of(const struct cua_subject *subject)
{
    const struct cua_prefix *prefix = cua_subject_is_plain(subject) ? cua_prefix_own() : NULL;

    return prefix ? prefix->cache : CUA_CACHE_FILE;
}

int cua_cache_open(struct cua_cache *cache, const struct cua_subject *subject)
{
    struct stat st;
    int fd = cua_subject_open_stat(subject, file_of(subject), &st), error = 0;
    size_t used = 0;
    ssize_t got = 1;
    char *data = NULL;

    memset(cache, 0, sizeof *cache);
    if (fd < 0)
        return fd;
    if (st.st_size > MAX_CACHE)
        error = -EFBIG;
    else if (!(data = malloc((size_t)st.st_size + 1)))
        error = -ENOMEM;
    while (!error && got && used < (size_t)st.st_size) {
        got = read(fd, data + used, (size_t)st.st_size - used);
        if (got < 0 && errno != EINTR)
            error = -errno;
        used += got > 0 ? (size_t)got : 0;
    }
    close(fd);
    if (error) {
        free(data);
        return error;
    }
    error = cua_cache_parse(cache, data, used);
    cache->file = st;
    return error;
}

void cua_cache_close(struct cua_cache *cache)
{
    free(cache->data);
    memset(cache, 0, sizeof *cache);
}

/* This process's own cache, while no search uses it. It is taken and returned by atomic exchange:
 * there is no lock that a fork could leave held. */
static struct cua_cache *_Atomic spare;

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static void drop(struct cua_cache *cache)
{
    if (cache)
        cua_cache_close(cache);
    free(cache);
}

struct cua_cache *cua_cache_take(const struct cua_subject *subject)
{
    bool own = cua_subject_is_plain(subject);
    struct cua_cache *cache = own ? atomic_exchange(&spare, NULL) : NULL;
    struct stat file;

    if (cache && cua_stat(file_of(subject), &file) != 0)
        memset(&file, 0, sizeof file);
    if (cache && is_same(&cache->file, &file))
        return cache;
    drop(cache);
    cache = malloc(sizeof *cache);
    if (!cache)
        return NULL;
    int error = cua_cache_open(cache, subject);
    cache->error = error;
    cache->own = own;
    return cache;
}

void cua_cache_give(struct cua_cache *cache)
{
    bool lasts = cache && (cache->file.st_ino || cache->error == -ENOENT);

    if (lasts && cache->own && cache->size <= MOST_KEPT)
        cache = atomic_exchange(&spare, cache);
    drop(cache);
}

/* Returns the index at which the entries for `name` begin. If there are none, returns an index from
 * which next_file finds none. The entries are sorted by name in descending order. */
static uint32_t first_of(const struct cua_cache *cache, const char *name)
{
    uint32_t low = 0, high = cache->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const char *key = text_at(cache, entry_at(cache, middle).key);
        if (!key)
            return cache->count;
        if (compare(name, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the next file for `name` and the machine type of `ldso`, from entry *at on; NULL if there
 * is none. `entry` receives the entry of this file, and *at the index after it. */
static const char *next_file(const struct cua_cache *cache, const struct cua_ldso *ldso,
                             const char *name, uint32_t *at, struct new_entry *entry)
{
    while (*at < cache->count) {
        const char *key, *file;
        *entry = entry_at(cache, (*at)++);
        key = text_at(cache, entry->key);
        file = text_at(cache, entry->value);
        if (!key || compare(name, key) != 0)
            break;
        if (file && file[0] && entry->flags == wanted_flags(ldso))
            return file;
    }
    return NULL;
}

static bool is_named(const struct new_entry *entry)
{
    return ((entry->hwcap >> 32) & ~HWCAP_NAMED_REST) == HWCAP_NAMED >> 32;
}

/* Returns the preference of an entry for a glibc-hwcaps folder: 0 if this processor cannot use it;
 * otherwise lower is better. */
static unsigned named_preference(const struct cua_cache *cache, struct cua_ldso *ldso,
                                 const struct new_entry *entry)
{
    uint32_t index = (uint32_t)entry->hwcap;

    if (index >= cache->hwcap_count || cache->hwcaps[index] >= cache->size)
        return 0;
    return cua_ldso_preference(ldso, cache->data + cache->hwcaps[index]);
}

static bool legacy_usable(struct cua_ldso *ldso, const struct new_entry *entry)
{
    if (entry->hwcap == 0)
        return true;
    if (ldso->glibc >= 237)
        return false;
    cua_ldso_ask(ldso);
    return !(entry->hwcap & ~(ldso->hwcap | HWCAP_TLS));
}

const char *cua_cache_find(const struct cua_cache *cache, struct cua_ldso *ldso, const char *name)
{
    const char *best = NULL, *file;
    unsigned best_preference = 0;
    uint32_t at = first_of(cache, name);
    struct new_entry entry;

    while ((file = next_file(cache, ldso, name, &at, &entry))) {
        if (is_named(&entry) && ldso->glibc >= 233) {
            unsigned preference = named_preference(cache, ldso, &entry);
            if (preference && (!best || preference < best_preference)) {
                best = file;
                best_preference = preference;
            }
        } else if (best) {
            break;
        } else if (legacy_usable(ldso, &entry)) {
            return file;
        }
    }
    return best;
}

int cua_cache_each(const struct cua_cache *cache, const struct cua_ldso *ldso, const char *name,
                   int (*fn)(void *data, const char *file), void *data)
{
    uint32_t at = first_of(cache, name);
    struct new_entry entry;
    const char *file;
    int ended = 0;

    while (!ended && (file = next_file(cache, ldso, name, &at, &entry)))
        ended = fn(data, file);
    return ended;
}
