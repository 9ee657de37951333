/* SPDX-License-Identifier: Apache-2.0 */
/* A libcuda that a runtime has mounted, in a mount namespace of this test's own. */
#include "unit.h"

#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "machine/mounts.h"
#include "root.h"
#include "base/policy.h"
#include "base/version.h"
#include "drivers/umds.h"
#include "facts/native.h"
#include "machine/subject.h"

#define NATIVE  "535.54.03"
#define OTHER   "550.54.14"
#define FOLDERS "545.23.08"
#define USERS   "545.29.06"
/* A folder that root alone can write, all the way up. */
#define SAFE "/mnt"
/* One that nobody in a container looks into. */
#define MOUNTED SAFE "/odd/libcuda.so." NATIVE

static bool alone;

/* A driver of this machine would be the native one. */
static bool hide_drivers(void)
{
    glob_t found = {0};
    bool hidden = true;

    glob("/usr/lib*/libcuda.so*", 0, NULL, &found);
    glob("/usr/lib/*/libcuda.so*", GLOB_APPEND, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc; i++)
        hidden = hidden && mount("/dev/null", found.gl_pathv[i], NULL, MS_BIND, NULL) == 0;
    globfree(&found);
    return hidden;
}

static int make_mounts(void **state)
{
    (void)state;
    alone = unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
            mount("none", SAFE, "tmpfs", 0, "mode=0755") == 0 && hide_drivers();
    if (!alone)
        return 0;
    root_text(SAFE, "/odd/libcuda.so." NATIVE, "");
    root_copy(SAFE, "/host/libcuda.so." NATIVE, lib_path("unit-driver.so"));
    root_copy(SAFE, "/host/libcuda.so." OTHER, lib_path("unit-driver.so"));
    return mount(SAFE "/host/libcuda.so." NATIVE, MOUNTED, NULL, MS_BIND, NULL);
}

static int remove_mounts(void **state)
{
    (void)state;
    return alone ? umount2(SAFE, MNT_DETACH) : 0;
}

static void is_told_by_the_kernel(void **state)
{
    struct stat st;

    (void)state;
    if (!alone)
        CUA_UNIT_SKIP("needs root and a mount namespace of its own");
    if (cua_mount_at(AT_FDCWD, "/", &st) < 0)
        CUA_UNIT_SKIP("needs Linux 5.8");
    root_link(SAFE, "/link", MOUNTED);
    assert_int_equal(cua_mount_at(AT_FDCWD, MOUNTED, &st), 1);
    assert_int_equal(cua_mount_at(AT_FDCWD, SAFE, &st), 1);
    assert_int_equal(cua_mount_at(AT_FDCWD, SAFE "/odd", &st), 0);
    assert_int_equal(cua_mount_at(AT_FDCWD, SAFE "/link", &st), 0);
    assert_int_equal(cua_mount_at(AT_FDCWD, SAFE "/missing", &st), -1);
}

/* Of the machine, and of a folder beside it with another of the kernel driver's version. */
static unsigned found_beside(const char *folder, unsigned mode)
{
    static char *no_environment[] = {NULL};
    struct cua_subject subject = {.sysroot = "", .env = no_environment};
    struct cua_facts facts = {.kmd.platform = CUA_PLATFORM_LINUX};
    char path[PATH_MAX];
    unsigned found = 0;

    snprintf(path, sizeof path, "%s/libcuda.so." NATIVE, folder);
    root_copy(SAFE, path, lib_path("unit-driver.so"));
    root_mode(SAFE, folder, mode);
    snprintf(path, sizeof path, SAFE "%s", folder);
    subject.library_path = path;
    cua_version_parse(&facts.kmd.version, NATIVE);
    cua_umds_gather(&facts, &subject);
    for (const struct cua_umd *umd = facts.umds; umd; umd = umd->hh.next) {
        if (strcmp(umd->path, MOUNTED) == 0)
            found = umd->found;
    }
    cua_facts_free(&facts);
    return found;
}

static void is_found_beside_one_that_may_not_be_used(void **state)
{
    (void)state;
    if (!alone)
        CUA_UNIT_SKIP("needs root and a mount namespace of its own");
    assert_int_equal(found_beside("/writable", 0777), CUA_FOUND_MOUNT);
}

static void is_found_beside_one_that_an_image_bundles(void **state)
{
    (void)state;
    if (!alone)
        CUA_UNIT_SKIP("needs root and a mount namespace of its own");
    assert_int_equal(found_beside("/compat", 0755), CUA_FOUND_MOUNT);
}

static void is_not_looked_for_beside_a_native(void **state)
{
    struct stat st;

    (void)state;
    if (!alone)
        CUA_UNIT_SKIP("needs root and a mount namespace of its own");
    if (cua_mount_at(AT_FDCWD, "/", &st) < 0)
        CUA_UNIT_SKIP("needs Linux 5.8");
    assert_int_equal(found_beside("/native", 0755), 0);
}

/* The whole folder of the host, where only its mount point leads: /opt/nvidia, /var/lib/nvidia. */
static void is_found_in_a_mounted_folder(void **state)
{
    static char *no_environment[] = {NULL};
    struct cua_subject subject = {.sysroot = "", .env = no_environment};
    struct cua_facts facts = {.kmd.platform = CUA_PLATFORM_LINUX};

    (void)state;
    if (!alone)
        CUA_UNIT_SKIP("needs root and a mount namespace of its own");
    root_copy(SAFE, "/whole/lib64/libcuda.so." FOLDERS, lib_path("unit-driver.so"));
    root_folder(SAFE, "/vendor/lib64");
    assert_int_equal(mount(SAFE "/whole", SAFE "/vendor", NULL, MS_BIND, NULL), 0);
    cua_version_parse(&facts.kmd.version, FOLDERS);
    cua_umds_native(&facts, &subject);
    assert_non_null(facts.native);
    assert_string_equal(facts.native->path, SAFE "/vendor/lib64/libcuda.so." FOLDERS);
    assert_int_equal(facts.native->found, CUA_FOUND_MOUNT);
    cua_facts_free(&facts);
}

/* In a rootless container uid 65534 is an owner outside; in the initial user namespace it is a user
 * like any other. */
static void is_not_trusted_of_a_user(void **state)
{
    static char *no_environment[] = {NULL};
    struct cua_subject subject = {.sysroot = "", .env = no_environment};
    struct cua_facts facts = {.kmd.platform = CUA_PLATFORM_LINUX};
    char map[64] = "";
    FILE *file = fopen("/proc/self/uid_map", "re");

    (void)state;
    if (file) {
        fread(map, 1, sizeof map - 1, file);
        fclose(file);
    }
    if (!alone || !strstr(map, "4294967295"))
        CUA_UNIT_SKIP("needs root of the initial user namespace");
    root_copy(SAFE, "/users/libcuda.so." USERS, lib_path("unit-driver.so"));
    root_text(SAFE, "/place/libcuda.so." USERS, "");
    assert_int_equal(chown(SAFE "/users/libcuda.so." USERS, 65534, 65534), 0);
    assert_int_equal(mount(SAFE "/users/libcuda.so." USERS, SAFE "/place/libcuda.so." USERS, NULL,
                           MS_BIND, NULL),
                     0);
    cua_version_parse(&facts.kmd.version, USERS);
    cua_umds_gather(&facts, &subject);
    for (const struct cua_umd *umd = facts.umds; umd; umd = umd->hh.next)
        assert_false(umd->trusted && strcmp(umd->path, SAFE "/place/libcuda.so." USERS) == 0);
    assert_null(cua_find_native(&facts));
    cua_facts_free(&facts);
}

/* Docker follows a link at the place that it mounts over: the name is the image's, the file the
 * host's. */
static void is_known_by_what_is_mounted(void **state)
{
    static char *no_environment[] = {NULL};
    struct cua_subject subject = {.sysroot = "", .env = no_environment};
    struct cua_policy policy = {0};
    struct cua_facts facts = {0};

    (void)state;
    if (!alone)
        CUA_UNIT_SKIP("needs root and a mount namespace of its own");
    root_text(SAFE, "/image/libcuda.so." NATIVE, "");
    assert_int_equal(mount(SAFE "/host/libcuda.so." OTHER, SAFE "/image/libcuda.so." NATIVE, NULL,
                           MS_BIND, NULL),
                     0);
    cua_version_parse(&facts.kmd.version, OTHER);
    cua_umds_loader(&facts, &subject, SAFE "/image/libcuda.so." NATIVE, NULL, &policy);
    assert_string_equal(facts.loader->version.text, OTHER);
    assert_false(facts.loader->version_doubtful);
    cua_facts_free(&facts);
    /* A name that says native is made sure of when it matters. */
    facts.kmd.platform = CUA_PLATFORM_LINUX;
    cua_version_parse(&facts.kmd.version, NATIVE);
    cua_umds_loader(&facts, &subject, SAFE "/image/libcuda.so." NATIVE, NULL, &policy);
    assert_string_equal(facts.loader->version.text, NATIVE);
    assert_true(facts.loader->version_doubtful);
    cua_umds_native(&facts, &subject);
    assert_string_equal(facts.loader->version.text, OTHER);
    assert_false(facts.loader->version_doubtful);
    assert_ptr_not_equal(facts.native, facts.loader);
    cua_facts_free(&facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_told_by_the_kernel),
        cmocka_unit_test(is_found_beside_one_that_may_not_be_used),
        cmocka_unit_test(is_found_beside_one_that_an_image_bundles),
        cmocka_unit_test(is_not_looked_for_beside_a_native),
        cmocka_unit_test(is_found_in_a_mounted_folder),
        cmocka_unit_test(is_not_trusted_of_a_user),
        cmocka_unit_test(is_known_by_what_is_mounted),
    };
    return cmocka_run_group_tests_name("mounted", tests, make_mounts, remove_mounts);
}
