/* SPDX-License-Identifier: Apache-2.0 */
/* The note of forward compatibility: what is one, and what is none. */
#include "unit.h"
#include "elf/compat_note.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As in libcuda.so.575.57.08 and 590.44.01, and the one for Orin. */
static const char r575[] = "{\"format\":1,\"CUDA version\":\"12.9\","
                           "\"driver\":[535,550,560,565,570,575],"
                           "\"device\":[1,2,7,8,9,10,11,12,13,14]}";
static const char orin[] = "{\"format\":1,\"CUDA version\":\"13.2\"}";

static void reads_what_drivers_carry(void **state)
{
    char desc[sizeof(r575) + 1] = ""; /* two NULs at its end, as in the file */
    struct cua_note note;

    (void)state;
    memcpy(desc, r575, sizeof(r575));
    cua_note_parse(&note, desc, sizeof(desc));
    assert_true(note.present);
    assert_int_equal(note.cuda, 12090);
    assert_true(note.has_branches && note.has_brands);
    assert_int_equal(note.branches, 6);
    assert_int_equal(note.branch[0], 535);
    assert_int_equal(note.branch[5], 575);
    assert_int_equal(note.brands, 10);
    assert_int_equal(note.brand[9], 14);
    assert_string_equal(note.trouble, "");

    cua_note_parse(&note, orin, strlen(orin));
    assert_true(note.present);
    assert_int_equal(note.cuda, 13020);
    assert_false(note.has_branches || note.has_brands);
}

static void takes_keys_that_it_does_not_know(void **state)
{
    static const char text[] = "{\"new\":{\"driver\":[1],\"a\":[[2],{}]},\"format\":1,"
                               "\"driver\":[535],\"last\":null}";
    struct cua_note note;

    (void)state;
    cua_note_parse(&note, text, strlen(text));
    assert_true(note.present);
    assert_int_equal(note.branches, 1);
    assert_int_equal(note.branch[0], 535);
    assert_int_equal(note.cuda, 0);
}

static void refuses_the_rest(void **state)
{
    static const char *const none[] = {
        "",
        "{",
        "{}",
        "[]",
        "null",
        "{\"format\":2}",
        "{\"format\":\"1\"}",
        "{\"format\":1.0}",
        "{\"format\":-1}",
        "{\"format\":1,\"format\":1}",
        "{\"CUDA version\":\"12.9\"}",
        "{\"format\":1,\"CUDA version\":12.9}",
        "{\"format\":1,\"CUDA version\":\"twelve\"}",
        "{\"format\":1,\"CUDA version\":\"12.9\",\"CUDA version\":\"12.8\"}",
        "{\"format\":1,\"driver\":535}",
        "{\"format\":1,\"driver\":[\"535\"]}",
        "{\"format\":1,\"driver\":[535,[550]]}",
        "{\"format\":1,\"driver\":[535,-550]}",
        "{\"format\":1,\"driver\":[5350000]}",
        "{\"format\":1,\"driver\":[18446744073709551617]}",
        "{\"format\":1,\"driver\":[],\"driver\":[535]}",
        "{\"format\":1,\"device\":{}}",
        "{\"format\":1,\"device\":[1e3]}",
        "{\"format\":1,\"device\":[true]}",
        "{\"format\":1,\"driver\":[535,550}",
        "{\"format\":1,\"driver\":[535,550]",
        "{\"format\":1}{\"driver\":[535]}",
        "{\"format\":1} x",
        "{\"format\" 1}",
        "{\"format\":1:2}",
        "{\"format\"}",
        "{[\"format\"]:1}",
        "{'format':1}",
        "{format:1}",
    };
    struct cua_note note;

    (void)state;
    for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
        cua_note_parse(&note, none[i], strlen(none[i]));
        if (note.present)
            fail_msg("taken: %s", none[i]);
        assert_true(note.trouble[0]);
        assert_int_equal(note.branches, 0);
        assert_false(note.has_branches);
    }
}

static void refuses_more_than_it_has_room_for(void **state)
{
    char text[2048] = "{\"format\":1,\"driver\":[1";
    struct cua_note note;

    (void)state;
    for (int i = 1; i < CUA_NOTE_MAX; i++)
        strcat(text, ",1");
    strcat(text, "]}");
    cua_note_parse(&note, text, strlen(text));
    assert_true(note.present);
    assert_int_equal(note.branches, CUA_NOTE_MAX);
    strcpy(strchr(text, ']'), ",1]}");
    cua_note_parse(&note, text, strlen(text));
    assert_false(note.present);
}

/* What is wrong with a note, in words. */
static void is_wrong(const char *text, const char *trouble)
{
    struct cua_note note;

    cua_note_parse(&note, text, strlen(text));
    assert_string_equal(note.trouble, trouble);
}

static void says_what_is_wrong(void **state)
{
    static const struct {
        const char *text, *trouble;
    } notes[] = {
        {"{\"CUDA version\":\"12.9\"}", "the note has no format number"},
        {"{\"format\":1,\"format\":1}", "the note has \"format\" twice"},
        {"{\"format\":2}", "unknown note format"},
        {"{\"format\":1,\"driver\":[],\"driver\":535}", "the note has \"driver\" twice"},
        {"{\"format\":1,\"device\":{}}",
         "\"device\" of the note is not a list of at most 64 numbers up to 9999"},
        {"{\"format\":1,\"driver\":[100000]}",
         "\"driver\" of the note is not a list of at most 64 numbers up to 99999"},
        {"[]", "the note's text is not a JSON object, or too large"},
    };
    char many[4096] = "{\"format\":1,\"new\":[1";

    (void)state;
    for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++)
        is_wrong(notes[i].text, notes[i].trouble);
    for (int i = 0; i < 5 * CUA_NOTE_MAX; i++)
        strcat(many, ",1");
    is_wrong(strcat(many, "]}"), "the note's text is not a JSON object, or too large");
}

static void refuses_text_after_its_end(void **state)
{
    static const char text[] = "{\"format\":1}\0\0{\"driver\":[535]}";
    struct cua_note note;

    (void)state;
    cua_note_parse(&note, text, sizeof(text));
    assert_false(note.present);
    assert_true(note.trouble[0]);
}

/* One note as a linker lays it out, name and text padded to `align`. */
static size_t put(char *out, const char *owner, uint32_t type, const char *text, size_t align)
{
    uint32_t head[3] = {(uint32_t)strlen(owner) + 1, (uint32_t)strlen(text) + 1, type};
    size_t at = sizeof(head);

    memcpy(out, head, sizeof(head));
    memcpy(out + at, owner, head[0]);
    for (at += head[0]; at % align; at++)
        out[at] = 0;
    memcpy(out + at, text, head[1]);
    for (at += head[1]; at % align; at++)
        out[at] = 0;
    return at;
}

static void finds_it_however_it_is_padded(void **state)
{
    static const size_t aligns[] = {4, 8, 1};
    char bytes[512];
    struct cua_note note;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        size_t size = put(bytes, "NVIDIA Corporation", 0, r575, aligns[i]);
        assert_true(cua_note_find(&note, bytes, size));
        assert_true(note.present);
        assert_int_equal(note.branches, 6);
    }
}

static void finds_it_among_others(void **state)
{
    char bytes[1024];
    struct cua_note note;
    size_t size = put(bytes, "GNU", 3, "0123456789abcdef", 4);

    (void)state;
    assert_false(cua_note_find(&note, bytes, size));
    assert_string_equal(note.trouble, "");
    size += put(bytes + size, "NVIDIA Corporation", 7, "{}", 4);
    assert_false(cua_note_find(&note, bytes, size));
    size += put(bytes + size, "NVIDIA Corporation", 0, orin, 4);
    assert_true(cua_note_find(&note, bytes, size));
    assert_true(note.present);
}

static void says_what_is_wrong_with_a_cut_one(void **state)
{
    char bytes[512];
    struct cua_note note;
    size_t size = put(bytes, "NVIDIA Corporation", 0, r575, 4);

    (void)state;
    for (size_t cut = 0; cut < size - 4; cut++) {
        char *copy = malloc(cut + 1);
        memcpy(copy, bytes, cut);
        cua_note_find(&note, copy, cut);
        assert_false(note.present);
        free(copy);
    }
}

/* A fixed seed: what fails once fails again. */
static void survives_anything(void **state)
{
    unsigned seed = 20261121;
    char bytes[512], copy[512];
    struct cua_note note;
    size_t size = put(bytes, "NVIDIA Corporation", 0, r575, 4);

    (void)state;
    print_message("# seed %u\n", seed);
    for (int i = 0; i < 20000; i++) {
        memcpy(copy, bytes, size);
        for (int n = rand_r(&seed) % 6; n >= 0; n--)
            copy[(size_t)rand_r(&seed) % size] = (char)rand_r(&seed);
        cua_note_find(&note, copy, size);
        cua_note_parse(&note, copy, size);
        assert_true(note.branches <= CUA_NOTE_MAX && note.brands <= CUA_NOTE_MAX);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_drivers_carry),
        cmocka_unit_test(takes_keys_that_it_does_not_know),
        cmocka_unit_test(refuses_the_rest),
        cmocka_unit_test(refuses_more_than_it_has_room_for),
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(refuses_text_after_its_end),
        cmocka_unit_test(finds_it_however_it_is_padded),
        cmocka_unit_test(finds_it_among_others),
        cmocka_unit_test(says_what_is_wrong_with_a_cut_one),
        cmocka_unit_test(survives_anything),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
