/* SPDX-License-Identifier: Apache-2.0 */
/* Why a libcuda cannot be used, in words. What is true of real processes: tests/ways. */
#include "unit.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/loadable.h"
#include "root.h"

static char why[151], driver[PATH_MAX], file[PATH_MAX];

static void find_why(const char *library)
{
    const struct cua_requester *requester = calloc(1, sizeof *requester);
    const struct cua_binder binder = {.requester = requester, .library = library, .now = true};
    const struct cua_subject subject = {.sysroot = ""};

    assert_non_null(requester);
    assert_false(cua_loadable(&subject, &binder, driver, "", why, sizeof why));
    free((void *)requester);
}

/* The linker chooses the order of the names, which differ in their last character alone. */
static void cuts_no_name(void **state)
{
    (void)state;
    strcpy(driver, lib_path("unit-driver.so"));
    find_why(lib_path("unit-needy.so"));
    for (char *digit = why; (digit = strpbrk(digit, "0123456")); digit++)
        *digit = 'N';
    assert_string_equal(why, "lacks functions that unit-needy.so needs: cuMemAddressReserveN, "
                             "cuMemAddressReserveN, cuMemAddressReserveN, cuMemAddressReserveN "
                             "and more");
}

static void says_what_it_could_not_look_at(void **state)
{
    char *root = root_make();

    (void)state;
    strcpy(driver, lib_path("unit-driver.so"));
    root_text(root, "/text.so", "text");
    snprintf(file, sizeof file, "%s/none.so", root);
    find_why(file);
    assert_string_equal(why, "may not load: none.so cannot be found or opened");
    snprintf(file, sizeof file, "%s/text.so", root);
    find_why(file);
    assert_string_equal(why, "may not load: text.so is damaged");
    root_remove(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_no_name),
        cmocka_unit_test(says_what_it_could_not_look_at),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
