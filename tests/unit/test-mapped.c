/* SPDX-License-Identifier: Apache-2.0 */
/* What is mapped, read again and again while libraries come and go. */
#include "unit.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader.h"
#include "mapped.h"

static void *open_lib(const char *name)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", getenv("CUA_UNIT_LIBS"), name);
    return dlopen(path, RTLD_LAZY);
}

static size_t count(const char *base)
{
    struct cua_mapped mapped;
    size_t found = 0;

    assert_int_equal(cua_mapped_read(&mapped), 0);
    for (size_t i = 0; i < mapped.count; i++)
        found += strcmp(mapped.object[i].base, base) == 0;
    cua_mapped_free(&mapped);
    return found;
}

static void sees_what_comes_and_goes(void **state)
{
    char path[PATH_MAX];
    void *stub, *foreign;

    (void)state;
    assert_int_equal(count("unit-stub.so"), 0);
    assert_non_null(stub = open_lib("unit-stub.so"));
    assert_int_equal(count("unit-stub.so"), 1);
    assert_non_null(foreign = open_lib("unit-foreign.so"));
    assert_int_equal(count("unit-stub.so") + count("unit-foreign.so"), 2);
    assert_int_equal(cua_mapped_libcuda(path), 2);
    dlclose(stub);
    assert_int_equal(count("unit-stub.so"), 0);
    assert_int_equal(count("unit-foreign.so"), 1);
    dlclose(foreign);
    assert_non_null(stub = open_lib("unit-stub.so"));
    assert_int_equal(count("unit-stub.so"), 1);
    assert_int_equal(count("unit-foreign.so"), 0);
    dlclose(stub);
}

static void reads_two_at_once(void **state)
{
    struct cua_mapped one, two;

    (void)state;
    assert_int_equal(cua_mapped_read(&one), 0);
    assert_int_equal(cua_mapped_read(&two), 0);
    assert_int_equal(one.count, two.count);
    assert_ptr_not_equal(one.object, two.object);
    cua_mapped_free(&one);
    assert_non_null(cua_mapped_find(&two, "libc.so.6"));
    cua_mapped_free(&two);
    assert_int_equal(count("libc.so.6"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sees_what_comes_and_goes),
        cmocka_unit_test(reads_two_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
