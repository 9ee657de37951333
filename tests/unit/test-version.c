/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"
#include "base/version.h"

#include <string.h>

static void parses_what_drivers_are_called(void **state)
{
    struct cua_version v;

    (void)state;
    assert_int_equal(cua_version_parse(&v, "384.81"), 6);
    assert_int_equal(v.part[0], 384);
    assert_int_equal(v.part[1], 81);
    assert_int_equal(v.part[2], 0);
    assert_int_equal(cua_version_parse(&v, "470.57.02  Release"), 9);
    assert_string_equal(v.text, "470.57.02");
    assert_int_equal(v.part[2], 2);
    assert_int_equal(cua_version_parse(&v, "1.0-9631"), 3);
    assert_true(cua_version_known(&v));
}

static void refuses_the_rest(void **state)
{
    static const char *const none[] = {
        "",
        "535",
        "535.",
        ".1",
        "535.1.2.3",
        "535.1.",
        "a5.1",
        "535.1a",
        "535.1_x",
        "535..1",
        "1234567.1",
        "535.1.2.",
        " 5.1",
        "-5.1",
        "5.12345678901",
        "535.x",
        "123456.123456.123456.1",
    };
    struct cua_version v;

    (void)state;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_int_equal(cua_version_parse(&v, none[i]), 0);
        assert_false(cua_version_known(&v));
        assert_int_equal(v.part[0], 0);
    }
}

static void knows_a_driver_from_a_slip(void **state)
{
    static const char *const drivers[] = {"96.43",  "384.183", "418.226.00",
                                          "35.4.1", "540.4.0", "990.10.01"};
    static const char *const none[] = {
        "",      "535", "5355.161.07", "535.1610.07", "535.161.070", "535.161.07 ", "0535.161.07",
        "5.161", "1.0", "535.161.7.1"};
    struct cua_version v;

    (void)state;
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++)
        assert_true(cua_version_of_driver(&v, drivers[i]));
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_false(cua_version_of_driver(&v, none[i]));
}

static int compare(const char *a, const char *b)
{
    struct cua_version x, y;

    assert_int_not_equal(cua_version_parse(&x, a), 0);
    assert_int_not_equal(cua_version_parse(&y, b), 0);
    return cua_version_compare(&x, &y);
}

static void compares_as_numbers(void **state)
{
    (void)state;
    assert_int_equal(compare("535.54.03", "535.129.03"), -1);
    assert_int_equal(compare("535.54", "535.54.00"), 0);
    assert_int_equal(compare("580.126.16", "580.82.07"), 1);
    assert_int_equal(compare("390.157", "1000.1"), -1);
    assert_int_equal(compare("610.43.2", "610.43.02"), 0);
}

static void reads_and_writes_cuda_versions(void **state)
{
    char buf[12];

    (void)state;
    assert_int_equal(cua_cuda_parse("12.4"), 12040);
    assert_int_equal(cua_cuda_parse("12.4.127"), 12040);
    assert_int_equal(cua_cuda_parse("9.2"), 9020);
    assert_int_equal(cua_cuda_parse("12"), 0);
    assert_int_equal(cua_cuda_parse("12.4rc1"), 0);
    assert_int_equal(cua_cuda_parse("0.1"), 0);
    assert_int_equal(cua_cuda_parse("12.100"), 0);
    assert_int_equal(cua_cuda_parse(""), 0);
    assert_string_equal(cua_cuda_text(12040, buf), "12.4");
    assert_string_equal(cua_cuda_text(10010, buf), "10.1");
    assert_true(strlen(cua_cuda_text(4294967295u, buf)) < sizeof buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parses_what_drivers_are_called), cmocka_unit_test(refuses_the_rest),
        cmocka_unit_test(knows_a_driver_from_a_slip),     cmocka_unit_test(compares_as_numbers),
        cmocka_unit_test(reads_and_writes_cuda_versions),
    };

    return cmocka_run_group_tests_name("version", tests, NULL, NULL);
}
