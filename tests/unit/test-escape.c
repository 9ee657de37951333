/* SPDX-License-Identifier: Apache-2.0 */
/* Outside text on its way to a terminal, a log or JSON. */
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "unit.h"

struct row {
    const char *from, *text, *json;
};

static const struct row rows[] = {
    {"", "", ""},
    {"plain \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "plain \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80",
     "plain \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"},
    {"a\nb\r\t\x1b[2J\x7f", "a\\x0ab\\x0d\\x09\\x1b[2J\\x7f",
     "a\\u000ab\\u000d\\u0009\\u001b[2J\\u007f"},
    {"\"quoted\\\"", "\"quoted\\\"", "\\\"quoted\\\\\\\""},
    {"\xc2\x9b"
     "2J",
     "\\xc2\\x9b2J", "\\u009b2J"}, /* CSI in one character */
    {"\xe2\x80\xae"
     "x",
     "\\xe2\\x80\\xaex", "\\u202ex"},               /* turns the line around */
    {"\xe2\x80\xa8", "\\xe2\\x80\\xa8", "\\u2028"}, /* ends one */
    {"\xff\xfe", "\\xff\\xfe", "\\ufffd\\ufffd"},
    {"\xc0\x8a", "\\xc0\\x8a", "\\ufffd\\ufffd"}, /* overlong newline */
    {"\xe0\x80\x8a", "\\xe0\\x80\\x8a", "\\ufffd\\ufffd\\ufffd"},
    {"\xed\xa0\x80", "\\xed\\xa0\\x80", "\\ufffd\\ufffd\\ufffd"}, /* a surrogate */
    {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", "\\ufffd\\ufffd\\ufffd\\ufffd"},
    {"cut \xe2\x82", "cut \\xe2\\x82", "cut \\ufffd\\ufffd"},
};

static void says_what_it_is(void **state)
{
    char out[256];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t length = cua_escape(out, sizeof out, rows[i].from, CUA_ESCAPE_TEXT);
        assert_int_equal(length, strlen(out));
        assert_string_equal(out, rows[i].text);
        cua_escape(out, sizeof out, rows[i].from, CUA_ESCAPE_JSON);
        assert_string_equal(out, rows[i].json);
    }
}

/* Of every pair of bytes: ASCII that can be printed, and UTF-8 that is whole. */
static void leaves_no_control_in(void **state)
{
    char from[3] = {0}, out[64], again[64];

    (void)state;
    for (int a = 1; a < 256; a++) {
        for (int b = 0; b < 256; b++) {
            from[0] = (char)a;
            from[1] = (char)b;
            for (int how = CUA_ESCAPE_TEXT; how <= CUA_ESCAPE_JSON; how++) {
                cua_escape(out, sizeof out, from, (enum cua_escape)how);
                for (const unsigned char *c = (const unsigned char *)out; *c; c++)
                    assert_true(*c >= 0x20 && *c != 0x7f);
                cua_escape(again, sizeof again, out, CUA_ESCAPE_TEXT);
                assert_string_equal(again, out);
            }
        }
    }
}

static void cuts_no_escape_in_two(void **state)
{
    char out[8];

    (void)state;
    assert_int_equal(cua_escape(out, sizeof out, "ab\n\n", CUA_ESCAPE_TEXT), 6);
    assert_string_equal(out, "ab\\x0a");
    assert_int_equal(cua_escape(out, 4, "\xe2\x82\xac\xe2\x82\xac", CUA_ESCAPE_TEXT), 3);
    assert_int_equal(cua_escape(out, 3, "\xe2\x82\xac", CUA_ESCAPE_TEXT), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_it_is),
        cmocka_unit_test(leaves_no_control_in),
        cmocka_unit_test(cuts_no_escape_in_two),
    };

    return cmocka_run_group_tests_name("escape", tests, NULL, NULL);
}
