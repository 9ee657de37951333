/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/mounts.h"
#include "root.h"
#include "machine/subject.h"

static char *root;
static char found[16 * PATH_MAX];

static int make_root(void **state)
{
    (void)state;
    root = root_make();
    found[0] = 0;
    return 0;
}

static int remove_root(void **state)
{
    (void)state;
    root_remove(root);
    return 0;
}

static int collect(void *data, const char *file, const char *mounted)
{
    (void)data;
    strcat(strcat(strcat(strcat(found, file), " "), mounted), "\n");
    return 0;
}

static void read_mounts(const char *text)
{
    const struct cua_subject subject = {.sysroot = root};

    found[0] = 0;
    root_text(root, "/proc/self/mountinfo", text);
    assert_int_equal(cua_mounts_each(&subject, collect, NULL), 0);
}

static void finds_what_a_runtime_mounts(void **state)
{
    (void)state;
    read_mounts("1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
                "2 1 8:1 /x /usr/lib/libcuda.so.535.54.03 ro,nosuid shared:1 - ext4 /dev/sda1 ro\n"
                "3 1 8:1 /x /usr/lib/libcudadebugger.so.1 ro - ext4 /dev/sda1 ro\n"
                "4 1 8:1 /y\\040z /a\\040b\\134c\\011/libcuda.so.1 ro - ext4 /dev/sda1 ro\n"
                "5 1 8:1 /libcuda.so.1 /elsewhere ro - ext4 /dev/sda1 ro\n"
                "6 1 8:1 /x relative/libcuda.so.1 ro - ext4 /dev/sda1 ro\n");
    assert_string_equal(found, "/ /\n/usr/lib/libcuda.so.535.54.03 /x\n"
                               "/usr/lib/libcudadebugger.so.1 /x\n"
                               "/a b\\c\t/libcuda.so.1 /y z\n/elsewhere /libcuda.so.1\n");
}

static void survives_odd_tables(void **state)
{
    static const char *const tables[] = {
        "",
        "\n",
        "\n\n\n",
        "1",
        "1 2 3 4",
        "1 2 3 4 ",
        " ",
        "x y z a /libcuda.so.1",
        "1 2 3 4 /no/end/libcuda.so.1 rw",
        "1 2 3 4 \\",
    };

    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        read_mounts(tables[i]);
}

static void bounds_what_it_reads(void **state)
{
    size_t size = 17u << 20;
    char *text = malloc(size + 200);

    (void)state;
    assert_non_null(text);
    memset(text, 'x', 20000);
    strcpy(text + 20000, "\n2 1 8:1 /x /after/libcuda.so.1 ro - ext4 /dev/sda1 ro\n");
    read_mounts(text);
    assert_string_equal(found, "/after/libcuda.so.1 /x\n");
    memset(text, '\n', size);
    strcpy(text + size, "2 1 8:1 /x /too/far/libcuda.so.1 ro - ext4 /dev/sda1 ro\n");
    read_mounts(text);
    assert_string_equal(found, "");
    free(text);
}

static void undoes_the_kernels_escapes(void **state)
{
    (void)state;
    read_mounts("2 1 8:1 /plain /a\\040b\\/libcuda.so.1 ro - ext4 /dev/sda1 ro\n"
                "3 1 8:1 /\\1 /\\04\\999\\1/libcuda.so.1 ro - ext4 /dev/sda1 ro\n");
    assert_string_equal(found, "/a b\\/libcuda.so.1 /plain\n/\\04\\999\\1/libcuda.so.1 /\\1\n");
}

#define IN_ROOT(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ROOT(finds_what_a_runtime_mounts),
        IN_ROOT(survives_odd_tables),
        IN_ROOT(bounds_what_it_reads),
        IN_ROOT(undoes_the_kernels_escapes),
    };

    return cmocka_run_group_tests_name("mounts", tests, NULL, NULL);
}
