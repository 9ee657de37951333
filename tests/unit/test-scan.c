/* SPDX-License-Identifier: Apache-2.0 */
/* What of a folder may be a libcuda: all of it, and only the names that lead to one. A folder is
 * read once, whatever leads to it. */
#include "unit.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "root.h"
#include "drivers/folder_scan.h"
#include "drivers/folders.h"
#include "drivers/umds.h"
#include "facts/facts.h"
#include "base/version.h"

#define NATIVE "535.54.03"
#define NEWER  "550.54.14"

static char *root, folder[PATH_MAX], found[PATH_MAX];

static int make_root(void **state)
{
    (void)state;
    root = root_make();
    snprintf(folder, sizeof folder, "%s/f", root);
    root_folder(root, "/f");
    return 0;
}

static int remove_root(void **state)
{
    (void)state;
    root_remove(root);
    return 0;
}

static void scan_for(const struct cua_version *native, bool tegra)
{
    static struct cua_scan scan;

    found[0] = 0;
    cua_scan(&scan, &cua_here, folder, native, tegra);
    for (size_t i = 0; i < scan.count; i++)
        strcat(strcat(found, scan.name[i].text + strlen("libcuda.so")),
               scan.name[i].link ? "@ " : " ");
}

static void scan_whole(void)
{
    scan_for(NULL, false);
}

static void scan_names(const char *text, bool tegra)
{
    struct cua_version version = {0};

    cua_version_parse(&version, text);
    scan_for(&version, tegra);
}

static void reads_a_folder_by_name_and_follows_links_beside(void **state)
{
    (void)state;
    root_text(root, "/f/libcuda.so." NEWER, "");
    root_text(root, "/f/libcuda.so." NATIVE, "");
    root_text(root, "/f/libcudart.so.12", "");
    root_text(root, "/f/libcuda.so.old", "");
    root_link(root, "/f/libcuda.so.1", "libcuda.so." NEWER);
    root_link(root, "/f/libcuda.so", "libcuda.so.1");
    scan_whole();
    assert_string_equal(found, "." NATIVE " ." NEWER " ");
}

static void tells_of_links_that_lead_elsewhere(void **state)
{
    (void)state;
    root_text(root, "/g/libcuda.so." NATIVE, "");
    root_link(root, "/f/libcuda.so", "../g/libcuda.so." NATIVE);
    root_link(root, "/f/libcuda.so.1", "libcuda.so." NEWER);
    root_link(root, "/f/libcuda.so." NATIVE, "libcuda.so." NATIVE);
    scan_whole();
    assert_string_equal(found, "@ .1@ ." NATIVE "@ ");
    scan_names(NATIVE, false);
    assert_string_equal(found, "@ .1@ ." NATIVE "@ ");
}

static void looks_for_names_alone(void **state)
{
    (void)state;
    root_text(root, "/f/libcuda.so." NEWER, "");
    root_text(root, "/f/libcuda.so." NATIVE, "");
    root_text(root, "/f/libcuda.so.1.1", "");
    root_link(root, "/f/libcuda.so.1", "libcuda.so." NATIVE);
    scan_names(NATIVE, false);
    assert_string_equal(found, "." NATIVE " ");
    scan_names("", false);
    assert_string_equal(found, ".1@ ");
    scan_names(NATIVE, true);
    assert_string_equal(found, ".1.1 ." NATIVE " ");
}

/* None of them is opened here. */
static void tells_of_what_is_no_file(void **state)
{
    (void)state;
    root_fifo(root, "/f/libcuda.so.1");
    root_folder(root, "/f/libcuda.so." NATIVE);
    root_link(root, "/f/libcuda.so", "libcuda.so." NATIVE);
    scan_whole();
    assert_string_equal(found, ".1 ." NATIVE " ");
    scan_names(NATIVE, false);
    assert_string_equal(found, ".1 ." NATIVE " ");
}

static void tells_of_a_ring_of_links(void **state)
{
    (void)state;
    root_link(root, "/f/libcuda.so", "libcuda.so.1");
    root_link(root, "/f/libcuda.so.1", "libcuda.so");
    scan_whole();
    assert_string_equal(found, ".1@ ");
    snprintf(folder, sizeof folder, "%s/missing", root);
    scan_whole();
    assert_string_equal(found, "");
}

static char *no_environment[] = {NULL};

/* 1,000 entries lead to one folder of 200 files: to read it for each took seconds. */
static void reads_a_folder_once(void **state)
{
    static char path[1000 * sizeof "/f:"];
    const struct cua_subject subject = {
        .sysroot = root, .env = no_environment, .library_path = path, .whatif = true};
    struct cua_facts facts = {0};
    clock_t start;
    char file[64];

    (void)state;
    for (int i = 0; i < 200; i++) {
        snprintf(file, sizeof file, "/f/libcuda.so.500.%d", i);
        root_text(root, file, "");
    }
    root_link(root, "/g", "f");
    for (int i = 0; i < 1000; i++)
        strcpy(path + 3 * i, i % 2 ? "/f:" : "/g:");
    start = clock();
    cua_umds_gather(&facts, &subject);
    assert_true(clock() - start < CLOCKS_PER_SEC);
    assert_int_equal(HASH_COUNT(facts.umds), 200);
    cua_facts_free(&facts);
}

/* 20,000 entries of a cache lead to a folder deep below: to look at it for each took seconds. */
static void looks_at_few_entries_of_a_cache(void **state)
{
    static char strings[1024] = "libcuda.so.1";
    const struct cua_subject subject = {.sysroot = root, .env = no_environment, .whatif = true};
    const uint32_t count = 20000, texts = 48 + 24 * count;
    const uint32_t header[] = {count, sizeof strings, 2, 0, 0, 0, 0};
#if defined(__x86_64__)
    const uint32_t flags = 0x303;
#else
    const uint32_t flags = 0xa03;
#endif
    const uint32_t entry[] = {flags, texts, texts + sizeof "libcuda.so.1", 0, 0, 0};
    char *file = strings + sizeof "libcuda.so.1", path[PATH_MAX];
    struct cua_facts facts = {0};
    clock_t start;
    FILE *cache;

    (void)state;
    for (int i = 0; i < 100; i++)
        strcat(file, "/a");
    strcat(file, "/libcuda.so.1");
    root_text(root, file, "");
    root_text(root, "/etc/ld.so.cache", "");
    snprintf(path, sizeof path, "%s/etc/ld.so.cache", root);
    cache = fopen(path, "w");
    assert_non_null(cache);
    fputs("glibc-ld.so.cache1.1", cache);
    fwrite(header, sizeof header, 1, cache);
    for (uint32_t i = 0; i < count; i++)
        fwrite(entry, sizeof entry, 1, cache);
    fwrite(strings, sizeof strings, 1, cache);
    assert_int_equal(fclose(cache), 0);
    start = clock();
    cua_umds_gather(&facts, &subject);
    assert_true(clock() - start < CLOCKS_PER_SEC);
    assert_int_equal(HASH_COUNT(facts.umds), 1);
    cua_facts_free(&facts);
}

/* What lies in a folder that was read whole is found in each way that leads to the folder, whatever
 * its name is. */
static void tells_every_way_to_a_folder(void **state)
{
    const struct cua_subject subject = {
        .sysroot = root, .env = no_environment, .library_path = "/usr/lib64", .whatif = true};
    struct cua_facts facts = {0};

    (void)state;
    cua_version_parse(&facts.kmd.version, NATIVE);
    root_text(root, "/usr/lib64/libcuda.so." NATIVE, "");
    root_text(root, "/usr/lib64/libcuda.so." NEWER, "");
    cua_umds_gather(&facts, &subject);
    assert_int_equal(HASH_COUNT(facts.umds), 2);
    for (struct cua_umd *umd = facts.umds; umd; umd = umd->hh.next)
        assert_int_equal(umd->found, CUA_FOUND_LIBRARY_PATH | CUA_FOUND_DEFAULT);
    cua_facts_free(&facts);
}

/* What no image has, and so no other test. The order is that of the list. */
static const char *const well_known[] = {
    "/usr/local/nvidia/lib64",
    "/usr/local/nvidia/lib",
    "/home/kubernetes/bin/nvidia/lib64",
    "/usr/lib64-nvidia",
    "/run/opengl-driver/lib",
#if defined(__aarch64__)
    "/usr/lib/aarch64-linux-gnu/nvidia/current",
#else
    "/usr/lib/x86_64-linux-gnu/nvidia/current",
#endif
    "/.singularity.d/libs",
    "/usr/lib/wsl/lib",
};
static size_t seen;

static int see(void *data, const char *name, unsigned how)
{
    (void)data;
    if (seen < sizeof well_known / sizeof *well_known && strcmp(name, well_known[seen]) == 0) {
        assert_int_equal(how, CUA_FOUND_WELL_KNOWN);
        seen++;
    }
    return 0;
}

static void looks_where_runtimes_put_a_driver(void **state)
{
    const struct cua_subject subject = {.sysroot = root};

    (void)state;
    seen = 0;
    assert_int_equal(cua_folders_each(&subject, see, NULL), 0);
    assert_string_equal(seen < sizeof well_known / sizeof *well_known ? well_known[seen] : "", "");
}

#define IN_ROOT(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ROOT(reads_a_folder_by_name_and_follows_links_beside),
        IN_ROOT(tells_of_links_that_lead_elsewhere),
        IN_ROOT(looks_for_names_alone),
        IN_ROOT(tells_of_what_is_no_file),
        IN_ROOT(tells_of_a_ring_of_links),
        IN_ROOT(reads_a_folder_once),
        IN_ROOT(tells_every_way_to_a_folder),
        IN_ROOT(looks_at_few_entries_of_a_cache),
        IN_ROOT(looks_where_runtimes_put_a_driver),
    };
    return cmocka_run_group_tests_name("scan", tests, NULL, NULL);
}
