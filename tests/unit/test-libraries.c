/* SPDX-License-Identifier: Apache-2.0 */
/* The matcher of the library table, on every row of it. */
#include <stdio.h>
#include <string.h>

#include "cuarbiter/libraries.h"
#include "unit.h"

static const struct {
    const char *stem;
    enum cua_library_kind kind;
} table[] = {
#define CUA_ROW(stem, kind, context) {stem, CUA_LIBRARY_##kind},
    CUA_LIBRARIES(CUA_ROW)
#undef CUA_ROW
};
#define ROWS (sizeof(table) / sizeof(*table))

static const struct {
    const char *tail;
    bool is_row, plain;
} tails[] = {
    {"", true, true},   {".1", true, true},  {".550.54.14", true, true}, {".1.orig", true, false},
    {".", true, false}, {".x", true, false}, {"1", false, false},        {"x.so", false, false},
};

static void check(size_t row, size_t at)
{
    const struct cua_library *found;
    const char *tail = NULL;
    char name[64];

    snprintf(name, sizeof(name), "%s.so%s", table[row].stem, tails[at].tail);
    found = cua_library_of(name, &tail);
    assert_int_equal(found != NULL, tails[at].is_row);
    if (!found)
        return;
    assert_string_equal(found->stem, table[row].stem);
    assert_int_equal(found->kind, table[row].kind);
    assert_string_equal(tail, tails[at].tail);
    assert_int_equal(cua_library_tail_plain(tail), tails[at].plain);
}

static void matches_every_row(void **state)
{
    (void)state;
    for (size_t row = 0; row < ROWS; row++)
        for (size_t at = 0; at < sizeof(tails) / sizeof(*tails); at++)
            check(row, at);
}

static void matches_nothing_near_a_row(void **state)
{
    const char *tail;
    char name[64];

    (void)state;
    for (size_t row = 0; row < ROWS; row++) {
        snprintf(name, sizeof(name), "x%s.so.1", table[row].stem);
        assert_null(cua_library_of(name, &tail));
        snprintf(name, sizeof(name), "%sx.so.1", table[row].stem);
        assert_null(cua_library_of(name, &tail));
        /* Every prefix of a name. */
        snprintf(name, sizeof(name), "%s.so", table[row].stem);
        for (size_t length = strlen(name); length-- > 0;) {
            name[length] = '\0';
            assert_null(cua_library_of(name, &tail));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_every_row),
        cmocka_unit_test(matches_nothing_near_a_row),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
