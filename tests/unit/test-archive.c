/* SPDX-License-Identifier: Apache-2.0 */
/* Archives: entries in order, their data, an archive inside of one, and damage. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/archive.h"

#define BLOCKS(size) (((size) + 511) / 512 * 512)

struct bytes {
    char *at;
    size_t size, read;
};

/* A tar with two files, a link and their data; what it takes is the caller's. */
static void add(struct bytes *tar, const char *name, char type, const char *link, const void *data,
                size_t size)
{
    tar->at = realloc(tar->at, tar->size + 512 + BLOCKS(size) + 1024);
    char *head = tar->at + tar->size;
    unsigned sum = 0;

    memset(head, 0, 512 + BLOCKS(size) + 1024);
    snprintf(head, 100, "%s", name);
    snprintf(head + 100, 8, "%07o", 0755);
    snprintf(head + 124, 12, "%011zo", size);
    memset(head + 148, ' ', 8);
    head[156] = type;
    snprintf(head + 157, 100, "%s", link);
    memcpy(head + 257, "ustar\00000", 8);
    for (size_t i = 0; i < 512; i++)
        sum += (unsigned char)head[i];
    snprintf(head + 148, 8, "%06o", sum);
    memcpy(head + 512, data, size);
    tar->size += 512 + BLOCKS(size);
}

static ssize_t source(void *data, void *buf, size_t size)
{
    struct bytes *bytes = data;

    size = size < bytes->size - bytes->read ? size : bytes->size - bytes->read;
    if (size)
        memcpy(buf, bytes->at + bytes->read, size);
    bytes->read += size;
    return (ssize_t)size;
}

static bool available(void)
{
    struct bytes none = {0};
    const char *why;
    struct cua_archive *archive = cua_archive_open_source(source, &none, &why);

    cua_archive_close(archive);
    return archive || !strstr(why, "cannot be loaded: install libarchive13");
}

static void entries_and_their_data(void **state)
{
    struct cua_archive_entry entry;
    struct bytes tar = {0};
    char path[] = "/tmp/cuarbiter-test.XXXXXX", buf[16];
    const char *why;
    FILE *file = fdopen(mkstemp(path), "r+");

    (void)state;
    unlink(path);
    if (!available())
        CUA_UNIT_SKIP("no libarchive");
    add(&tar, "folder/one", '0', "", "first", 5);
    add(&tar, "../two", '0', "", "second", 6);
    add(&tar, "three", '2', "one", "", 0);
    assert_true(cua_archive_glance(tar.at, tar.size));
    fwrite(tar.at, 1, tar.size + 1024, file);
    rewind(file);
    struct cua_archive *archive = cua_archive_open(fileno(file), &why);
    assert_non_null(archive);
    assert_int_equal(cua_archive_next(archive, &entry), 1);
    assert_string_equal(entry.path, "folder/one");
    assert_int_equal(entry.size, 5);
    assert_true(S_ISREG(entry.mode));
    /* What is not read is passed over. */
    assert_int_equal(cua_archive_next(archive, &entry), 1);
    assert_string_equal(entry.path, "../two");
    assert_int_equal(cua_archive_read(archive, buf, sizeof buf), 6);
    assert_memory_equal(buf, "second", 6);
    assert_int_equal(cua_archive_read(archive, buf, sizeof buf), 0);
    assert_int_equal(cua_archive_next(archive, &entry), 1);
    assert_true(S_ISLNK(entry.mode));
    assert_string_equal(entry.link, "one");
    assert_int_equal(cua_archive_next(archive, &entry), 0);
    cua_archive_close(archive);
    fclose(file);
    free(tar.at);
}

static void one_inside_of_another(void **state)
{
    struct bytes inner = {0}, outer = {0};
    struct cua_archive_entry entry;
    const char *why;
    char buf[16];

    (void)state;
    if (!available())
        CUA_UNIT_SKIP("no libarchive");
    add(&inner, "deep", '0', "", "data", 4);
    add(&outer, "inner.tar", '0', "", inner.at, inner.size + 1024);
    outer.size += 1024;
    struct cua_archive *archive = cua_archive_open_source(source, &outer, &why);
    assert_int_equal(cua_archive_next(archive, &entry), 1);
    struct cua_archive *within = cua_archive_open_source(cua_archive_read, archive, &why);
    assert_int_equal(cua_archive_next(within, &entry), 1);
    assert_string_equal(entry.path, "deep");
    assert_int_equal(cua_archive_read(within, buf, sizeof buf), 4);
    assert_memory_equal(buf, "data", 4);
    cua_archive_close(within);
    assert_int_equal(cua_archive_next(archive, &entry), 0);
    cua_archive_close(archive);
    free(inner.at);
    free(outer.at);
}

static ssize_t no_source(void *data, void *buf, size_t size)
{
    (void)data, (void)buf, (void)size;
    errno = EIO;
    return -1;
}

static void what_cannot_be_read_may_be_an_archive(void **state)
{
    const char *why = "";

    (void)state;
    if (!available())
        CUA_UNIT_SKIP("no libarchive");
    assert_null(cua_archive_open_source(no_source, NULL, &why));
    assert_string_equal(why, "cannot be read as an archive");
}

static void what_is_cut_or_no_archive_fails(void **state)
{
    struct bytes tar = {0}, text = {.at = (char[]){"no archive at all"}, .size = 17};
    struct cua_archive_entry entry;
    const char *why;
    char buf[4096];

    (void)state;
    if (!available())
        CUA_UNIT_SKIP("no libarchive");
    add(&tar, "cut", '0', "", (char[4096]){0}, 4096);
    tar.size = 1024;
    struct cua_archive *archive = cua_archive_open_source(source, &tar, &why);
    assert_int_equal(cua_archive_next(archive, &entry), 1);
    ssize_t got = 1;
    while (got > 0)
        got = cua_archive_read(archive, buf, sizeof buf);
    assert_int_equal(got, -1);
    assert_true(*cua_archive_error(archive));
    cua_archive_close(archive);
    archive = cua_archive_open_source(source, &text, &why);
    assert_true(!archive || cua_archive_next(archive, &entry) == -1);
    cua_archive_close(archive);
    assert_false(cua_archive_glance(text.at, text.size));
    free(tar.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_and_their_data),
        cmocka_unit_test(one_inside_of_another),
        cmocka_unit_test(what_cannot_be_read_may_be_an_archive),
        cmocka_unit_test(what_is_cut_or_no_archive_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
