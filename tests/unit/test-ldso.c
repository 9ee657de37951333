/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "loader/ldso.h"
#include "root.h"

#if defined(__x86_64__)
#define MULTIARCH "lib/x86_64-linux-gnu"
#else
#define MULTIARCH "lib/aarch64-linux-gnu"
#endif

static void assert_lib(const char *root, const char *lib, const char *folder)
{
    struct cua_subject subject = {.sysroot = root, .whatif = true};
    struct cua_ldso ldso;

    cua_ldso_of(&ldso, &subject);
    assert_string_equal(ldso.lib, lib);
    assert_string_equal(ldso.folders[0], folder);
}

static void knows_debian(void **state)
{
    char *root = root_make();

    (void)state;
    root_text(root, "/usr/" MULTIARCH "/libc.so.6", "64");
    root_link(root, "/lib", "usr/lib");
    assert_lib(root, MULTIARCH, "/" MULTIARCH);
    root_remove(root);
}

static void knows_fedora(void **state)
{
    char *root = root_make();

    (void)state;
    root_text(root, "/usr/lib64/libc.so.6", "64");
    root_text(root, "/usr/lib/libc.so.6", "32");
    root_link(root, "/lib64", "usr/lib64");
    root_link(root, "/lib", "usr/lib");
    assert_lib(root, "lib64", "/lib64");
    root_remove(root);
}

static void knows_arch(void **state)
{
    char *root = root_make();

    (void)state;
    root_text(root, "/usr/lib/libc.so.6", "64");
    root_link(root, "/lib64", "usr/lib");
    root_link(root, "/lib", "usr/lib");
    root_link(root, "/usr/lib64", "lib");
    assert_lib(root, "lib", "/usr/lib");
    root_remove(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_debian),
        cmocka_unit_test(knows_fedora),
        cmocka_unit_test(knows_arch),
    };

    return cmocka_run_group_tests_name("ldso", tests, NULL, NULL);
}
