/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that a file named libcuda.so.1 can be instead of a driver: no crash, no hang, a reason
 * for `status`, and the other candidate is judged as ever. */
#include "unit.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "root.h"
#include "drivers/umds.h"
#include "facts/facts.h"
#include "machine/subject.h"

#define BAD  "/bad/libcuda.so.1"
#define GOOD "/good/libcuda.so.535.54.03"

static char *root, *driver;
static size_t driver_size;
static struct cua_facts facts;
static char *no_environment[] = {NULL};

static int make_root(void **state)
{
    (void)state;
    root = root_make();
    driver = file_read(lib_path("unit-driver.so"), &driver_size);
    root_bytes(root, GOOD, driver, driver_size);
    root_folder(root, "/bad");
    return 0;
}

static int remove_root(void **state)
{
    (void)state;
    cua_facts_free(&facts);
    root_remove(root);
    free(driver);
    return 0;
}

static const struct cua_umd *find(const char *path)
{
    for (const struct cua_umd *umd = facts.umds; umd; umd = umd->hh.next) {
        if (strcmp(umd->path, path) == 0)
            return umd;
    }
    return NULL;
}

/* Gathers; the bad file is in this state and says why, the good one is usable. */
static void assert_bad(enum cua_umd_state wanted)
{
    const struct cua_subject subject = {
        .sysroot = root, .env = no_environment, .library_path = "/bad:/good", .whatif = true};
    const struct cua_umd *bad, *good;

    cua_facts_free(&facts);
    cua_umds_gather(&facts, &subject);
    bad = find(BAD);
    good = find(GOOD);
    assert_non_null(bad);
    assert_non_null(good);
    assert_int_equal(good->state, CUA_UMD_USABLE);
    assert_int_equal(bad->state, wanted);
    assert_string_not_equal(bad->trouble, "");
}

static void put(size_t size)
{
    root_bytes(root, BAD, driver, size);
}

/* Files of more than 64 KiB are read part by part, smaller ones at once. */
static void put_large(void)
{
    char path[PATH_MAX];

    put(driver_size);
    snprintf(path, sizeof path, "%s" BAD, root);
    assert_int_equal(truncate(path, (off_t)driver_size + (64 << 10)), 0);
}

static void an_empty_file(void **state)
{
    (void)state;
    put(0);
    assert_bad(CUA_UMD_DAMAGED);
}

static void a_text(void **state)
{
    (void)state;
    root_text(root, BAD,
              "INPUT ( libcuda.so.535 )\n and some more to make it longer than a header\n");
    assert_bad(CUA_UMD_DAMAGED);
}

static void cut_at_every_byte_of_its_headers(void **state)
{
    const Elf64_Ehdr *header = (const void *)driver;
    size_t end = header->e_phoff + header->e_phnum * sizeof(Elf64_Phdr);

    (void)state;
    for (size_t size = 0; size <= end; size++) {
        put(size);
        assert_bad(CUA_UMD_DAMAGED);
    }
}

static void cut_anywhere_behind(void **state)
{
    (void)state;
    for (size_t size = 64; size < driver_size; size += 61) {
        put(size);
        assert_bad(CUA_UMD_DAMAGED);
    }
    put(driver_size - 1);
    assert_bad(CUA_UMD_DAMAGED);
}

static void a_folder(void **state)
{
    (void)state;
    root_folder(root, BAD);
    assert_bad(CUA_UMD_DAMAGED);
}

static void a_pipe(void **state)
{
    (void)state;
    root_fifo(root, BAD);
    assert_bad(CUA_UMD_DAMAGED);
}

static void a_link_to_nothing(void **state)
{
    (void)state;
    root_link(root, BAD, "nowhere");
    assert_bad(CUA_UMD_UNREADABLE);
}

static void a_link_to_itself(void **state)
{
    (void)state;
    root_link(root, BAD, "libcuda.so.1");
    assert_bad(CUA_UMD_UNREADABLE);
    root_link(root, BAD, "other");
    root_link(root, "/bad/other", "libcuda.so.1");
    assert_bad(CUA_UMD_UNREADABLE);
}

static void a_link_out_of_the_root(void **state)
{
    (void)state;
    root_link(root, BAD, "../../../../../../../../../../etc/passwd");
    assert_bad(CUA_UMD_UNREADABLE);
}

static void one_that_cannot_be_read(void **state)
{
    (void)state;
    put(driver_size);
    root_mode(root, BAD, 0);
    if (geteuid() == 0)
        assert_int_equal(seteuid(65534), 0);
    assert_bad(CUA_UMD_UNREADABLE);
    if (getuid() == 0)
        assert_int_equal(seteuid(0), 0);
}

static void of_another_architecture(void **state)
{
    Elf64_Ehdr *header = (void *)driver;

    (void)state;
    header->e_machine = header->e_machine == EM_X86_64 ? EM_AARCH64 : EM_X86_64;
    put(driver_size);
    assert_bad(CUA_UMD_ARCH);
    header->e_machine = EM_386;
    header->e_ident[EI_CLASS] = ELFCLASS32;
    put(driver_size);
    assert_bad(CUA_UMD_ARCH);
}

static void a_program_and_another_library(void **state)
{
    Elf64_Ehdr *header = (void *)driver;
    char *name;

    (void)state;
    header->e_type = ET_REL;
    put(driver_size);
    assert_bad(CUA_UMD_DAMAGED);
    header->e_type = ET_DYN;
    for (name = driver; (name = memmem(name, driver_size - (size_t)(name - driver), "cuInit", 6));)
        *name = 'x';
    put(driver_size);
    assert_bad(CUA_UMD_DAMAGED);
}

/* Every field of the ELF header and of the program headers with values that hurt. */
static void with_a_lie_in_every_header_field(void **state)
{
    static const uint64_t lies[] = {0, 1, 0xffff, 0x7fffffff, UINT64_MAX};
    const Elf64_Ehdr *header = (const void *)driver;
    size_t end = header->e_phoff + header->e_phnum * sizeof(Elf64_Phdr);
    char *true_copy = malloc(end);
    const struct cua_subject subject = {
        .sysroot = root, .env = no_environment, .library_path = "/bad:/good", .whatif = true};

    (void)state;
    assert_non_null(true_copy);
    memcpy(true_copy, driver, end);
    for (size_t at = 0; at < end; at += 4) {
        for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
            memcpy(driver + at, &lies[i], at % 8 ? 4 : 8);
            if (i % 2)
                put(driver_size);
            else
                put_large();
            cua_facts_free(&facts);
            cua_umds_gather(&facts, &subject);
            assert_non_null(find(BAD));
            assert_true(find(BAD)->state == CUA_UMD_USABLE || find(BAD)->trouble[0]);
            assert_int_equal(find(GOOD)->state, CUA_UMD_USABLE);
            memcpy(driver, true_copy, end);
        }
    }
    free(true_copy);
}

/* A fixed sequence: the same bytes in every run. */
static void with_bytes_changed_at_random(void **state)
{
    const struct cua_subject subject = {
        .sysroot = root, .env = no_environment, .library_path = "/bad:/good", .whatif = true};
    char *true_copy = malloc(driver_size);
    uint32_t random = 1;

    (void)state;
    assert_non_null(true_copy);
    memcpy(true_copy, driver, driver_size);
    for (int i = 0; i < 500; i++) {
        for (int j = 0; j < 1 + i % 8; j++) {
            random = random * 1664525 + 1013904223;
            driver[(random >> 4) % (i % 2 ? driver_size : 4096)] = (char)(random >> 24);
        }
        if (i % 3)
            put(driver_size);
        else
            put_large();
        cua_facts_free(&facts);
        cua_umds_gather(&facts, &subject);
        assert_non_null(find(BAD));
        assert_int_equal(find(GOOD)->state, CUA_UMD_USABLE);
        memcpy(driver, true_copy, driver_size);
    }
    free(true_copy);
}

#define IN_ROOT(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)

/* Large files without section headers are searched up to one budget of bytes for all of them. */
static void many_large_ones(void **state)
{
    struct cua_subject subject = {.sysroot = root, .env = no_environment};
    char file[64], path[16 * 16] = "", real[PATH_MAX];
    unsigned searched = 0, left = 0;
    Elf64_Ehdr *header = (Elf64_Ehdr *)(void *)driver;

    (void)state;
    header->e_shnum = 0;
    header->e_shoff = 0;
    for (int i = 0; i < 8; i++) {
        snprintf(file, sizeof file, "/s%d/libcuda.so.1", i);
        root_bytes(root, file, driver, driver_size);
        snprintf(path + strlen(path), 16, "/s%d:", i);
        snprintf(real, sizeof real, "%s%s", root, file);
        assert_int_equal(truncate(real, 96 << 20), 0);
    }
    subject.library_path = path;
    cua_umds_gather(&facts, &subject);
    for (const struct cua_umd *umd = facts.umds; umd; umd = umd->hh.next) {
        searched += umd->state == CUA_UMD_USABLE;
        left +=
            umd->state == CUA_UMD_UNREADABLE && strstr(umd->trouble, "searches at most 256 MiB");
    }
    assert_true(searched >= 1 && searched <= 3);
    assert_int_equal(searched + left, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ROOT(an_empty_file),
        IN_ROOT(a_text),
        IN_ROOT(cut_at_every_byte_of_its_headers),
        IN_ROOT(cut_anywhere_behind),
        IN_ROOT(a_folder),
        IN_ROOT(a_pipe),
        IN_ROOT(a_link_to_nothing),
        IN_ROOT(a_link_to_itself),
        IN_ROOT(a_link_out_of_the_root),
        IN_ROOT(one_that_cannot_be_read),
        IN_ROOT(of_another_architecture),
        IN_ROOT(a_program_and_another_library),
        IN_ROOT(with_a_lie_in_every_header_field),
        IN_ROOT(with_bytes_changed_at_random),
        IN_ROOT(many_large_ones),
    };

    alarm(120); /* a hang is a failure */
    return cmocka_run_group_tests_name("badumd", tests, NULL, NULL);
}
