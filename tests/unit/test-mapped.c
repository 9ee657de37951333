/* SPDX-License-Identifier: Apache-2.0 */
/* What is mapped, read again and again while libraries come and go. */
#include "unit.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/mapped.h"
#include "root.h"

static void *open_lib(const char *name)
{
    return dlopen(lib_path(name), RTLD_LAZY);
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
    assert_true(cua_mapped_libcuda(path));
    assert_string_equal(strrchr(path, '/'), "/unit-stub.so");
    dlclose(stub);
    assert_int_equal(count("unit-stub.so"), 0);
    assert_int_equal(count("unit-foreign.so"), 1);
    dlclose(foreign);
    assert_non_null(stub = open_lib("unit-stub.so"));
    assert_int_equal(count("unit-stub.so"), 1);
    assert_int_equal(count("unit-foreign.so"), 0);
    dlclose(stub);
}

/* Which takes ld.so's number of unloaded objects back to what it was. */
static void knows_the_list_beside_a_namespace(void **state)
{
    struct cua_mapped mapped;
    void *stub, *foreign;

    (void)state;
    assert_non_null(stub = open_lib("unit-stub.so"));
    assert_non_null(foreign = open_lib("unit-foreign.so"));
    assert_int_equal(count("unit-foreign.so"), 1);
    dlclose(foreign);
    dlclose(stub);
    assert_non_null(dlmopen(LM_ID_NEWLM, "libc.so.6", RTLD_LAZY));
    assert_non_null(foreign = open_lib("unit-foreign.so"));
    assert_non_null(stub = open_lib("unit-stub.so"));
    assert_int_equal(cua_mapped_read(&mapped), 0);
    assert_string_equal(mapped.object[mapped.count - 1].base, "unit-stub.so");
    cua_mapped_free(&mapped);
    dlclose(stub);
    dlclose(foreign);
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

static const char *base_at(const void *address)
{
    static char base[NAME_MAX];
    struct cua_mapped mapped;

    assert_int_equal(cua_mapped_read(&mapped), 0);
    snprintf(base, sizeof base, "%s", cua_mapped_at(&mapped, address)->base);
    cua_mapped_free(&mapped);
    return base;
}

static const char *symbol(void *library)
{
    const char *address = dlsym(library, "cuInit");

    assert_non_null(address);
    return address;
}

static void knows_who_calls(void **state)
{
    void *stub, *foreign;

    (void)state;
    assert_string_equal(base_at(NULL), "");
    assert_non_null(stub = open_lib("unit-stub.so"));
    assert_string_equal(base_at(symbol(stub)), "unit-stub.so");
    assert_string_equal(base_at(NULL), "");
    assert_non_null(foreign = open_lib("unit-foreign.so"));
    assert_string_equal(base_at(symbol(stub)), "unit-stub.so");
    assert_string_equal(base_at(symbol(foreign)), "unit-foreign.so");
    dlclose(stub);
    dlclose(foreign);
    /* Nearly always where the other one lay. */
    assert_non_null(foreign = open_lib("unit-foreign.so"));
    assert_string_equal(base_at(symbol(foreign)), "unit-foreign.so");
    dlclose(foreign);
}

static void knows_the_program(void **state)
{
    (void)state;
    assert_string_equal(strrchr(cua_mapped_program(), '/'), "/test-mapped");
    assert_ptr_equal(cua_mapped_program(), cua_mapped_program());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sees_what_comes_and_goes),
        cmocka_unit_test(knows_the_list_beside_a_namespace),
        cmocka_unit_test(reads_two_at_once),
        cmocka_unit_test(knows_who_calls),
        cmocka_unit_test(knows_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
