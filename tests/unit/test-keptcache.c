/* SPDX-License-Identifier: Apache-2.0 */
/* The machine's cache is read once and again when it has changed: in a mount namespace, where
 * another file is put into its place. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "root.h"
#include "loader/ldcache.h"

static char *root;
static bool alone;

static int make_root(void **state)
{
    (void)state;
    root = root_make();
    alone = access(CUA_CACHE_FILE, F_OK) == 0 && unshare(CLONE_NEWNS) == 0 &&
            mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
    return 0;
}

static int remove_root(void **state)
{
    (void)state;
    if (alone)
        umount2(CUA_CACHE_FILE, MNT_DETACH);
    root_remove(root);
    return 0;
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Counted, in place of libc's. */
static unsigned reads;

ssize_t read(int fd, void *bytes, size_t size)
{
    reads++;
    return syscall(SYS_read, fd, bytes, size);
}

static size_t taken_size(void)
{
    struct cua_cache *kept = cua_cache_take(&cua_here);
    size_t size;

    assert_non_null(kept);
    size = kept->size;
    cua_cache_give(kept);
    return size;
}

static void is_kept(void **state)
{
    struct cua_cache *one, *two;

    (void)state;
    assert_non_null(one = cua_cache_take(&cua_here));
    assert_non_null(two = cua_cache_take(&cua_here));
    assert_ptr_not_equal(one, two);
    assert_int_equal(one->count, two->count);
    cua_cache_give(one);
    cua_cache_give(two);
    assert_ptr_equal(cua_cache_take(&cua_here), two);
    cua_cache_give(two);
}

/* The header of an old cache without entries, and as many bytes of names. */
static void is_read_again(void **state)
{
    static const char cache[] = "ld.so-1.7.0\0\0\0\0\0";
    struct rlimit before, none;
    char path[PATH_MAX];
    FILE *file;

    (void)state;
    getrlimit(RLIMIT_NOFILE, &before);
    none = before;
    none.rlim_cur = 0;
    if (!alone)
        CUA_UNIT_SKIP("needs root and a mount namespace of its own");
    snprintf(path, sizeof path, "%s/cache", root);
    write_file(path, "no cache");
    assert_int_equal(mount(path, CUA_CACHE_FILE, NULL, MS_BIND, NULL), 0);
    assert_int_equal(taken_size(), 0);
    assert_non_null(file = fopen(path, "w"));
    assert_int_equal(fwrite(cache, 1, sizeof cache, file), sizeof cache);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(taken_size(), sizeof cache);
    assert_non_null(file = fopen(path, "a"));
    assert_int_equal(fwrite(cache, 1, sizeof cache, file), sizeof cache);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(taken_size(), 2 * sizeof cache);
    assert_int_equal(truncate(path, (off_t)sizeof cache), 0);
    setrlimit(RLIMIT_NOFILE, &none);
    assert_int_equal(taken_size(), 0);
    setrlimit(RLIMIT_NOFILE, &before);
    assert_int_equal(taken_size(), sizeof cache);
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(taken_size(), 0);
}

/* The file is not there, and the first look fails: what a moment later is asked again. */
static void a_passing_fault_is_not_kept(void **state)
{
    struct rlimit before, none;
    struct cua_cache *cache;

    (void)state;
    if (!alone)
        CUA_UNIT_SKIP("needs root and a mount namespace of its own");
    getrlimit(RLIMIT_NOFILE, &before);
    none = before;
    none.rlim_cur = 0;
    assert_int_equal(mount("none", "/etc", "tmpfs", 0, "size=4m"), 0);
    setrlimit(RLIMIT_NOFILE, &none);
    cua_cache_give(cua_cache_take(&cua_here));
    setrlimit(RLIMIT_NOFILE, &before);
    assert_non_null(cache = cua_cache_take(&cua_here));
    assert_int_equal(cache->error, -ENOENT);
    cua_cache_give(cache);
    umount2("/etc", MNT_DETACH);
}

/* A larger one takes no memory of the program between two questions. */
static void only_a_small_one_is_kept(void **state)
{
    char path[PATH_MAX];
    FILE *file;

    (void)state;
    if (!alone)
        CUA_UNIT_SKIP("needs root and a mount namespace of its own");
    snprintf(path, sizeof path, "%s/large", root);
    assert_non_null(file = fopen(path, "w"));
    assert_int_equal(fwrite("ld.so-1.7.0\0\0\0\0\0", 1, 16, file), 16);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(mount(path, CUA_CACHE_FILE, NULL, MS_BIND, NULL), 0);
    assert_int_equal(truncate(path, 1 << 20), 0);
    assert_int_equal(taken_size(), 1 << 20);
    reads = 0;
    taken_size();
    assert_int_equal(reads, 0);
    assert_int_equal(truncate(path, (1 << 20) + 1), 0);
    assert_int_equal(taken_size(), (1 << 20) + 1);
    taken_size();
    assert_int_equal(reads, 2);
    umount2(CUA_CACHE_FILE, MNT_DETACH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_kept),
        cmocka_unit_test(is_read_again),
        cmocka_unit_test(only_a_small_one_is_kept),
        cmocka_unit_test(a_passing_fault_is_not_kept),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
