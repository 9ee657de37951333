/* SPDX-License-Identifier: Apache-2.0 */
/* A question's records, and the command line of an ld.so that was executed itself. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/asked.h"
#include "loader/ldso_args.h"

/* A literal's bytes with its last NUL. */
#define RECORDS(text) text, sizeof(text)

#define FRAME  "Q" CUA_FRAME "\0"
#define HEAD   FRAME "an\0f1\0nlibcuda.so.1\0p2a\0h/opt/cuarbiter\0"
#define OBJECT "o\0"
#define END    "Z"

static struct cua_asked asked;

/* In memory of its own size, so that a sanitizer sees whoever reads behind it. */
static int read_records(const char *text, size_t size)
{
    char *bytes = malloc(size + !size);

    memcpy(bytes, text, size);
    return cua_asked_read(&asked, bytes, size);
}

static void reads_a_whole_question(void **state)
{
    (void)state;
    assert_int_equal(
        read_records(RECORDS(HEAD "l/a:/b\0g2.36\0e/usr/bin/x\0x./x\0t\0vA=1\0vB=\0ks\0kd1\0"
                                  "yno memory\0"
                                  "o\0Sprogram\0R/r\0dlibc.so.6\0dlibm.so.6\0"
                                  "o/lib/libc.so.6\0Slibc.so.6\0P\0i1\0" END)),
        0);
    assert_int_equal(asked.ask, CUA_ASK_NAMED);
    assert_int_equal(asked.flags, 1);
    assert_string_equal(asked.name, "libcuda.so.1");
    assert_int_equal(asked.pid, 42);
    assert_string_equal(asked.home, "/opt/cuarbiter");
    assert_string_equal(asked.library_path, "/a:/b");
    assert_string_equal(asked.glibc, "2.36");
    assert_string_equal(asked.exe, "/usr/bin/x");
    assert_string_equal(asked.started, "./x");
    assert_string_equal(asked.why, "no memory");
    assert_true(asked.has_stderr);
    assert_false(asked.env_cut);
    assert_string_equal(asked.env[0], "A=1");
    assert_string_equal(asked.env[1], "B=");
    assert_null(asked.env[2]);
    assert_string_equal(asked.kept[0], "s");
    assert_string_equal(asked.kept[1], "d1");
    assert_null(asked.kept[2]);
    assert_null(asked.words);
    assert_int_equal(asked.caller, 1);
    assert_int_equal(asked.objects, 2);
    assert_string_equal(asked.object[0].name, "");
    assert_string_equal(asked.object[0].soname, "program");
    assert_string_equal(asked.object[0].rpath, "/r");
    assert_null(asked.object[0].runpath);
    assert_memory_equal(asked.object[0].needs, "libc.so.6\0libm.so.6\0", 21);
    assert_string_equal(asked.object[1].base, "libc.so.6");
    /* An empty one keeps the RPATHs out. */
    assert_string_equal(asked.object[1].runpath, "");
    assert_string_equal(asked.object[1].needs, "");
    cua_asked_free(&asked);
}

static void takes_what_is_not_said_as_unknown(void **state)
{
    (void)state;
    assert_int_equal(read_records(RECORDS(HEAD OBJECT END)), 0);
    assert_null(asked.library_path);
    assert_string_equal(asked.glibc, "");
    assert_string_equal(asked.exe, "");
    assert_string_equal(asked.started, "");
    assert_null(asked.why);
    assert_false(asked.has_stderr);
    assert_int_equal(asked.caller, 0);
    assert_null(asked.env[0]);
    assert_null(asked.kept[0]);
    cua_asked_free(&asked);
}

static void passes_over_records_of_later_releases(void **state)
{
    (void)state;
    assert_int_equal(read_records(RECORDS(HEAD "*new\0" OBJECT "#new too\0dlibm.so.6\0" END)), 0);
    assert_int_equal(asked.objects, 1);
    assert_string_equal(asked.object[0].needs, "libm.so.6");
    cua_asked_free(&asked);
}

static void refuses_what_is_no_question(void **state)
{
    static const struct {
        const char *text;
        size_t size;
    } none[] = {
        {"", 0},
        {RECORDS("")},
        {RECORDS("\0\0\0\0")},
        {RECORDS(END)},
        {RECORDS(FRAME)},
        {RECORDS(FRAME END)},
        {RECORDS("Q4711\0an\0nlibcuda.so.1\0p2a\0h/opt\0" OBJECT END)}, /* another frame */
        {RECORDS("Q\0an\0nlibcuda.so.1\0p2a\0h/opt\0" OBJECT END)},
        {RECORDS("an\0" FRAME "nlibcuda.so.1\0p2a\0h/opt\0" OBJECT END)}, /* not at its start */
        {RECORDS(HEAD OBJECT)},                                           /* cut off */
        {HEAD OBJECT END, sizeof(HEAD OBJECT END) - 1},
        {RECORDS(HEAD END)},                 /* no program */
        {RECORDS(HEAD OBJECT "!\0" END)},    /* nor after all */
        {RECORDS(HEAD OBJECT END "\0vA=1")}, /* the end is not last */
        {RECORDS(FRAME "an\0p2a\0h/opt\0" OBJECT END)},
        {RECORDS(FRAME "an\0nlibcuda.so.1\0h/opt\0" OBJECT END)},
        {RECORDS(FRAME "an\0nlibcuda.so.1\0p0\0h/opt\0" OBJECT END)},
        {RECORDS(FRAME "an\0nlibcuda.so.1\0pffffffff\0h/opt\0" OBJECT END)},
        {RECORDS(FRAME "an\0nlibcuda.so.1\0p2a\0" OBJECT END)},
        {RECORDS(FRAME "an\0nlibcuda.so.1\0p2a\0hopt\0" OBJECT END)},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
        if (read_records(none[i].text, none[i].size) != -EPROTO)
            fail_msg("question %zu was read", i);
}

/* Every beginning of a question is none. */
static void refuses_every_part(void **state)
{
    static const char whole[] = HEAD "vA=1\0" OBJECT "dlibm.so.6\0!\0" OBJECT "dlibc.so.6\0" END;

    (void)state;
    for (size_t size = 0; size < sizeof(whole); size++)
        assert_int_equal(read_records(whole, size), -EPROTO);
    assert_int_equal(read_records(RECORDS(whole)), 0);
    cua_asked_free(&asked);
}

static void objects_that_follow_replace_those_before(void **state)
{
    (void)state;
    assert_int_equal(read_records(RECORDS(HEAD "o\0Sold\0o/old.so\0dlibx.so\0o/older.so\0"
                                               "!\0o\0Snew\0!\0o\0o/new.so\0dliby.so\0i1\0" END)),
                     0);
    assert_int_equal(asked.objects, 2);
    assert_string_equal(asked.object[0].soname, "");
    assert_string_equal(asked.object[1].name, "/new.so");
    assert_string_equal(asked.object[1].needs, "liby.so");
    assert_int_equal(asked.caller, 1);
    cua_asked_free(&asked);
}

static void reads_numbers_of_any_size(void **state)
{
    (void)state;
    assert_int_equal(
        read_records(RECORDS(FRAME "a\0fffffffffffffffffffff\0nx\0p7fffffff\0h/\0o\0iffff\0" END)),
        0);
    assert_int_equal(asked.pid, 0x7fffffff);
    assert_int_equal(asked.caller, 0xffff);
    cua_asked_free(&asked);
}

static void refuses_a_name_that_is_too_long(void **state)
{
    char text[2 * CUA_TEXT_MOST] = FRAME "p1\0h/opt\0o\0n";
    const size_t at = sizeof(FRAME "p1\0h/opt\0o\0n") - 1;

    (void)state;
    for (int more = 0; more < 2; more++) {
        size_t length = CUA_TEXT_MOST - 1 + (size_t)more;
        memset(text + at, 'x', length);
        memcpy(text + at + length, "\0Z", 3);
        assert_int_equal(read_records(text, at + length + 3), more ? -EPROTO : 0);
        if (!more)
            cua_asked_free(&asked);
    }
}

/* Far more than any program has: in time that is not its square. */
static void reads_many_objects_and_needs(void **state)
{
    enum { OBJECTS = 4096, NEEDS = 256 };
    char *bytes = NULL;
    size_t size = 0, needs = 0;
    FILE *file = open_memstream(&bytes, &size);

    (void)state;
    fwrite(HEAD, 1, sizeof(HEAD) - 1, file);
    for (int i = 0; i < OBJECTS; i++) {
        fprintf(file, "o/lib/lib%d.so%cSlib%d.so%c", i, 0, i, 0);
        for (int j = 0; i % 64 == 1 && j < NEEDS; j++)
            fprintf(file, "dlib%d.so%c", j, 0);
    }
    fwrite(END, 1, 2, file);
    fclose(file);
    assert_int_equal(cua_asked_read(&asked, bytes, size), 0);
    assert_int_equal(asked.objects, OBJECTS);
    for (const char *need = asked.object[65].needs; *need; need += strlen(need) + 1)
        needs++;
    assert_int_equal(needs, NEEDS);
    assert_string_equal(asked.object[66].soname, "lib66.so");
    cua_asked_free(&asked);
}

/* Words and needs are moved together; one that lies apart is moved over nothing. */
static void leaves_out_what_lies_apart(void **state)
{
    (void)state;
    assert_int_equal(read_records(RECORDS(HEAD "wa\0wb\0vA=1\0wccccccc\0" OBJECT
                                               "dx\0dy\0Sname\0dzzzzzzz\0" END)),
                     0);
    assert_int_equal(asked.words_size, 4);
    assert_memory_equal(asked.words, "a\0b", 4);
    assert_string_equal(asked.env[0], "A=1");
    assert_string_equal(asked.object[0].soname, "name");
    assert_memory_equal(asked.object[0].needs, "x\0y\0", 5);
    cua_asked_free(&asked);
}

static void reads_the_words_of_a_loader(void **state)
{
    static const char words[] = "/lib/ld.so\0--library-path\0/x:/y\0./prog\0-a";

    (void)state;
    assert_int_equal(read_records(RECORDS(HEAD "w/lib/ld.so\0w--library-path\0w/x:/y\0"
                                               "w./prog\0w-a\0vA=1\0" OBJECT END)),
                     0);
    assert_int_equal(asked.words_size, sizeof(words));
    assert_memory_equal(asked.words, words, sizeof(words));
    assert_string_equal(asked.env[0], "A=1");
    assert_string_equal(cua_ldso_args_path(asked.words, asked.words_size), "/x:/y");
    cua_asked_free(&asked);
}

static void reads_command_lines_of_a_loader(void **state)
{
    static const struct {
        const char *words;
        size_t size;
        const char *path;
    } lines[] = {
        {RECORDS("ld.so\0./prog"), NULL},
        {RECORDS("ld.so\0--library-path\0/a\0./prog"), "/a"},
        {RECORDS("ld.so\0--inhibit-cache\0--library-path\0/a\0./prog"), "/a"},
        {RECORDS("ld.so\0--preload\0x.so\0--library-path\0/a\0--\0./prog"), "/a"},
        {RECORDS("ld.so\0--library-path\0/a\0--library-path\0/b\0./prog"), "/b"},
        {RECORDS("ld.so\0./prog\0--library-path\0/a"), NULL},
        {RECORDS("ld.so\0--\0--library-path\0/a"), NULL},
        {RECORDS("ld.so\0--library-path"), NULL},
        {RECORDS("ld.so"), NULL},
        {RECORDS(""), NULL},
        {"ld.so\0--library-path\0/a", 23, NULL}, /* without its NUL */
        {"", 0, NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        const char *path = cua_ldso_args_path(lines[i].words, lines[i].size);
        if (!path != !lines[i].path || (path && strcmp(path, lines[i].path) != 0))
            fail_msg("line %zu: %s", i, path ? path : "none");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_whole_question),
        cmocka_unit_test(takes_what_is_not_said_as_unknown),
        cmocka_unit_test(passes_over_records_of_later_releases),
        cmocka_unit_test(refuses_what_is_no_question),
        cmocka_unit_test(refuses_every_part),
        cmocka_unit_test(objects_that_follow_replace_those_before),
        cmocka_unit_test(reads_numbers_of_any_size),
        cmocka_unit_test(refuses_a_name_that_is_too_long),
        cmocka_unit_test(reads_many_objects_and_needs),
        cmocka_unit_test(leaves_out_what_lies_apart),
        cmocka_unit_test(reads_the_words_of_a_loader),
        cmocka_unit_test(reads_command_lines_of_a_loader),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
