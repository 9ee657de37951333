/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "loader/ldcache.h"
#include "loader/search.h"
#include "root.h"
#include "loader/ldso.h"
#include "machine/subject.h"

#if defined(__x86_64__)
#define FLAGS 0x0303
#define OTHER 0x0a03
#define MARK  "x86-64"
#else
#define FLAGS 0x0a03
#define OTHER 0x0303
#define MARK  "AArch64"
#endif
#define NAMED (1ull << 62)

struct entry {
    int flags;
    const char *key, *value;
    uint64_t hwcap;
};

static char *root;
static struct cua_ldso ldso;

static int make_root(void **state)
{
    const struct cua_subject machine = {.sysroot = ""};

    (void)state;
    root = root_make();
    cua_ldso_of(&ldso, &machine);
    ldso.glibc = 236;
    cua_ldso_ask(&ldso);
    ldso.level = 3; /* whatever this processor is */
    return 0;
}

static int remove_root(void **state)
{
    (void)state;
    root_remove(root);
    return 0;
}

static void put32(char *bytes, size_t at, uint32_t value)
{
    memcpy(bytes + at, &value, sizeof value);
}

/* A cache of the new format at `at`, which is also where its string indices count from. */
static size_t put_new(char *bytes, size_t at, const struct entry *entries, size_t count)
{
    static const char *const hwcaps[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};
    size_t strings = at + 48 + count * 24;

    memcpy(bytes + at, "glibc-ld.so.cache1.1", 20);
    put32(bytes, at + 20, (uint32_t)count);
    bytes[at + 28] = 2;
    for (size_t i = 0; i < count; i++) {
        size_t e = at + 48 + i * 24;
        put32(bytes, e, (uint32_t)entries[i].flags);
        put32(bytes, e + 4, (uint32_t)(strings - at));
        strings = (size_t)(stpcpy(bytes + strings, entries[i].key) + 1 - bytes);
        put32(bytes, e + 8, (uint32_t)(strings - at));
        strings = (size_t)(stpcpy(bytes + strings, entries[i].value) + 1 - bytes);
        memcpy(bytes + e + 16, &entries[i].hwcap, 8);
    }
    size_t names[3];
    for (int i = 0; i < 3; i++) {
        names[i] = strings;
        strings = (size_t)(stpcpy(bytes + strings, hwcaps[i]) + 1 - bytes);
    }
    strings = (strings + 7) / 8 * 8;
    put32(bytes, at + 32, (uint32_t)strings);
    put32(bytes, strings, 0xeaa42174u);
    put32(bytes, strings + 4, 1);
    put32(bytes, strings + 8, 1);
    put32(bytes, strings + 16, (uint32_t)strings + 24);
    put32(bytes, strings + 20, 12);
    for (size_t i = 0; i < 3; i++)
        put32(bytes, strings + 24 + 4 * i, (uint32_t)names[i]);
    return strings + 36;
}

static size_t put_old(char *bytes, const struct entry *entries, size_t count)
{
    size_t strings = 16 + count * 12, start = strings;

    memcpy(bytes, "ld.so-1.7.0", 11);
    put32(bytes, 12, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        put32(bytes, 16 + i * 12, (uint32_t)entries[i].flags);
        put32(bytes, 20 + i * 12, (uint32_t)(strings - start));
        strings = (size_t)(stpcpy(bytes + strings, entries[i].key) + 1 - bytes);
        put32(bytes, 24 + i * 12, (uint32_t)(strings - start));
        strings = (size_t)(stpcpy(bytes + strings, entries[i].value) + 1 - bytes);
    }
    return strings;
}

/* As ldconfig sorts them: downwards, with numbers as numbers. */
static const struct entry entries[] = {
    {FLAGS, "libz.so.10", "/lib/libz.so.10", 0},
    {FLAGS, "libz.so.9", "/lib/libz.so.9", 0},
    {FLAGS, "liblegacy.so.1", "/lib/odd/liblegacy.so.1", 1ull << 40},
    {FLAGS, "liblegacy.so.1", "/lib/tls/liblegacy.so.1", 1ull << 63},
    {FLAGS, "liblegacy.so.1", "/lib/liblegacy.so.1", 0},
    {FLAGS, "libhw.so.1", "/lib/glibc-hwcaps/x86-64-v2/libhw.so.1", NAMED | 0},
    {FLAGS, "libhw.so.1", "/lib/glibc-hwcaps/x86-64-v3/libhw.so.1", NAMED | 1},
    {FLAGS, "libhw.so.1", "/lib/glibc-hwcaps/x86-64-v4/libhw.so.1", NAMED | 2},
    {FLAGS, "libhw.so.1", "/lib/libhw.so.1", 0},
    {OTHER, "libcuda.so.1", "/lib/other/libcuda.so.1", 0},
    {3, "libcuda.so.1", "/lib/i386/libcuda.so.1", 0},
    {FLAGS, "libcuda.so.1", "/usr/local/cuda/compat/libcuda.so.1", 0},
    {FLAGS, "libcuda.so.1", "/lib/libcuda.so.1", 0},
    {FLAGS, "libcuda.so", "/lib/libcuda.so", 0},
    {FLAGS, "liba.so", "/lib/liba.so", 0},
};
#define COUNT (sizeof entries / sizeof *entries)

static char bytes[8192];

/* In place of libc's: what a read may answer besides all that was asked for. */
static enum { WHOLE, IN_PIECES, FAILING } reading;

ssize_t read(int fd, void *buffer, size_t size)
{
    static unsigned calls;

    errno = reading == FAILING ? EIO : EINTR;
    if (reading == FAILING || (reading == IN_PIECES && calls++ % 2))
        return -1;
    return syscall(SYS_read, fd, buffer, reading == IN_PIECES && size > 100 ? 100 : size);
}

static void open_bytes(struct cua_cache *cache, size_t size)
{
    const struct cua_subject subject = {.sysroot = root};

    root_bytes(root, "/etc/ld.so.cache", bytes, size);
    assert_int_equal(cua_cache_open(cache, &subject), 0);
}

static void assert_finds(struct cua_cache *cache, const char *name, const char *file)
{
    const char *found = cua_cache_find(cache, &ldso, name);

    if (!file)
        assert_null(found);
    else
        assert_non_null(found);
    if (file)
        assert_string_equal(found, file);
}

static void finds_in_the_new_format(void **state)
{
    struct cua_cache cache;

    (void)state;
    open_bytes(&cache, put_new(bytes, 0, entries, COUNT));
    assert_finds(&cache, "libcuda.so.1", "/usr/local/cuda/compat/libcuda.so.1");
    assert_finds(&cache, "libcuda.so", "/lib/libcuda.so");
    assert_finds(&cache, "libz.so.10", "/lib/libz.so.10");
    assert_finds(&cache, "libz.so.9", "/lib/libz.so.9");
    assert_finds(&cache, "liba.so", "/lib/liba.so");
    assert_finds(&cache, "libb.so", NULL);
    assert_finds(&cache, "libzz.so", NULL);
    assert_finds(&cache, "lib", NULL);
    assert_finds(&cache, "", NULL);
    cua_cache_close(&cache);
}

static void prefers_what_the_processor_can(void **state)
{
    struct cua_cache cache;

    (void)state;
    open_bytes(&cache, put_new(bytes, 0, entries, COUNT));
    assert_finds(&cache, "libhw.so.1", "/lib/glibc-hwcaps/x86-64-v3/libhw.so.1");
    ldso.level = 1;
    assert_finds(&cache, "libhw.so.1", "/lib/libhw.so.1");
    ldso.level = 4;
    assert_finds(&cache, "libhw.so.1", "/lib/glibc-hwcaps/x86-64-v4/libhw.so.1");
    ldso.glibc = 231;
    assert_finds(&cache, "libhw.so.1", "/lib/libhw.so.1");
    assert_finds(&cache, "liblegacy.so.1", "/lib/tls/liblegacy.so.1");
    ldso.glibc = 241;
    assert_finds(&cache, "liblegacy.so.1", "/lib/liblegacy.so.1");
    cua_cache_close(&cache);
}

static void finds_in_the_old_format(void **state)
{
    struct cua_cache cache;

    (void)state;
    memset(bytes, 0, sizeof bytes);
    open_bytes(&cache, put_old(bytes, entries, COUNT));
    assert_finds(&cache, "libcuda.so.1", "/usr/local/cuda/compat/libcuda.so.1");
    assert_finds(&cache, "libz.so.9", "/lib/libz.so.9");
    cua_cache_close(&cache);
}

/* ldconfig 2.2 to 2.31 wrote both: the new one lies where the old one's strings begin. */
static void prefers_the_new_format_in_the_old(void **state)
{
    static const struct entry old[] = {{FLAGS, "libcuda.so.1", "/old/libcuda.so.1", 0}};
    struct cua_cache cache;
    char inner[4096] = "";
    size_t size = put_new(inner, 0, entries, COUNT), start = 32;

    (void)state;
    memset(bytes, 0, sizeof bytes);
    put_old(bytes, old, 1);
    memcpy(bytes + start, inner, size);
    open_bytes(&cache, start + size);
    assert_finds(&cache, "libcuda.so.1", "/usr/local/cuda/compat/libcuda.so.1");
    cua_cache_close(&cache);
}

static int collect(void *data, const char *file)
{
    strcat(strcat(data, file), " ");
    return 0;
}

static void lists_every_file_of_a_name(void **state)
{
    struct cua_cache cache;
    char list[512] = "";

    (void)state;
    open_bytes(&cache, put_new(bytes, 0, entries, COUNT));
    assert_int_equal(cua_cache_each(&cache, &ldso, "libcuda.so.1", collect, list), 0);
    assert_string_equal(list, "/usr/local/cuda/compat/libcuda.so.1 /lib/libcuda.so.1 ");
    cua_cache_close(&cache);
}

static void walk_all(struct cua_cache *cache)
{
    char list[64 * PATH_MAX] = "";

    for (size_t i = 0; i < COUNT; i++)
        cua_cache_find(cache, &ldso, entries[i].key);
    cua_cache_each(cache, &ldso, "libcuda.so.1", collect, list);
}

/* Cut at every byte, and every byte changed: nothing found, or something; never a crash. */
static void survives_a_damaged_cache(void **state)
{
    static const char changes[] = {0, 1, 0x7f, (char)0xff};
    size_t size = put_new(bytes, 0, entries, COUNT);
    struct cua_cache cache;

    (void)state;
    for (size_t i = 0; i < size; i++) {
        char *copy = malloc(i + 1);
        assert_non_null(copy);
        memcpy(copy, bytes, i);
        if (cua_cache_parse(&cache, copy, i) == 0) {
            walk_all(&cache);
            cua_cache_close(&cache);
        }
    }
    for (size_t i = 0; i < size; i++) {
        for (size_t j = 0; j < sizeof changes; j++) {
            char *copy = malloc(size + 1);
            assert_non_null(copy);
            memcpy(copy, bytes, size);
            copy[i] = changes[j];
            if (cua_cache_parse(&cache, copy, size) == 0) {
                walk_all(&cache);
                cua_cache_close(&cache);
            }
        }
    }
}

static void takes_a_missing_cache_for_an_empty_one(void **state)
{
    const struct cua_subject subject = {.sysroot = root};
    struct cua_cache cache;

    (void)state;
    assert_true(cua_cache_open(&cache, &subject) < 0);
    assert_finds(&cache, "libc.so.6", NULL);
    root_text(root, "/etc/ld.so.cache", "");
    assert_true(cua_cache_open(&cache, &subject) < 0);
    root_text(root, "/etc/ld.so.cache", "no cache at all, but longer than any header of one is");
    assert_true(cua_cache_open(&cache, &subject) < 0);
    assert_finds(&cache, "libc.so.6", NULL);
}

static void reads_all_of_it(void **state)
{
    const struct cua_subject subject = {.sysroot = root};
    struct cua_cache cache;

    (void)state;
    reading = IN_PIECES;
    open_bytes(&cache, put_new(bytes, 0, entries, COUNT));
    assert_finds(&cache, "liba.so", "/lib/liba.so");
    cua_cache_close(&cache);
    reading = FAILING;
    assert_int_equal(cua_cache_open(&cache, &subject), -EIO);
    reading = WHOLE;
}

/* One that is too large stays so: a search that asked again and again would never be sure. */
static void passes_over_a_cache_that_is_too_large(void **state)
{
    const struct cua_subject subject = {.sysroot = root, .whatif = true};
    char path[PATH_MAX], file[PATH_MAX];
    struct cua_cache cache;

    (void)state;
    root_text(root, "/etc/ld.so.cache", "");
    snprintf(path, sizeof path, "%s/etc/ld.so.cache", root);
    assert_int_equal(truncate(path, 65 << 20), 0);
    assert_int_equal(cua_cache_open(&cache, &subject), -EFBIG);
    assert_int_equal(cua_loader_find(&subject, NULL, "libcuda.so.1", file, NULL), -ENOENT);
}

/* ldconfig -p prints what it reads; the first of a name for this machine is what ld.so takes, but
 * for tuned ones. */
static void agrees_with_ldconfig(void **state)
{
    const struct cua_subject machine = {.sysroot = ""};
    char line[1024], name[256], kind[256], file[512], last[256] = "";
    struct cua_cache cache;
    unsigned checked = 0;
    FILE *list;

    (void)state;
    if (cua_cache_open(&cache, &machine) != 0)
        CUA_UNIT_SKIP("no cache here");
    list = popen("PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null", "re");
    assert_non_null(list);
    while (fgets(line, sizeof line, list)) {
        if (sscanf(line, " %255s (%255[^)]) => %511s", name, kind, file) != 3 ||
            !strstr(kind, MARK) || strstr(kind, "hwcap") || strcmp(name, last) == 0)
            continue;
        snprintf(last, sizeof last, "%s", name);
        assert_finds(&cache, name, file);
        checked++;
    }
    pclose(list);
    cua_cache_close(&cache);
    if (checked == 0)
        CUA_UNIT_SKIP("the cache here names no library of this machine");
}

#define IN_ROOT(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ROOT(finds_in_the_new_format),
        IN_ROOT(prefers_what_the_processor_can),
        IN_ROOT(finds_in_the_old_format),
        IN_ROOT(prefers_the_new_format_in_the_old),
        IN_ROOT(lists_every_file_of_a_name),
        IN_ROOT(survives_a_damaged_cache),
        IN_ROOT(takes_a_missing_cache_for_an_empty_one),
        IN_ROOT(reads_all_of_it),
        IN_ROOT(passes_over_a_cache_that_is_too_large),
        IN_ROOT(agrees_with_ldconfig),
    };

    return cmocka_run_group_tests_name("cache", tests, NULL, NULL);
}
