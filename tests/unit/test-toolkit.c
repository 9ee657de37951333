/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA version that a program needs, from the image it runs in. */
#include "unit.h"
#include "root.h"
#include "facts/toolkit.h"
#include "facts/facts.h"
#include "machine/subject.h"

#include <string.h>

static unsigned gather(const char *root, const char *env, const char *source)
{
    char *environment[] = {(char *)env, NULL};
    struct cua_subject subject = {.sysroot = root, .env = environment, .whatif = true};
    struct cua_toolkit toolkit;

    cua_toolkit_gather(&toolkit, &subject);
    assert_string_equal(toolkit.source, source);
    return toolkit.cuda;
}

static void reads_what_images_carry(void **state)
{
    static const char json[] = "/usr/local/cuda/version.json";
    static const char text[] = "/usr/local/cuda/version.txt";
    char *root = root_make();

    (void)state;
    assert_int_equal(gather(root, NULL, ""), 0);
    root_text(root, text, "CUDA Version 10.2.89\nCUDA Patch Version 10.2.1\n");
    assert_int_equal(gather(root, NULL, text), 10020);
    root_text(
        root, json,
        "{\n  \"cuda\" : {\n    \"name\" : \"CUDA SDK\",\n    \"version\" : \"12.4.1\"\n  },\n"
        "  \"cuda_cccl\" : {\n    \"version\" : \"12.4.127\"\n  }\n}\n");
    assert_int_equal(gather(root, NULL, json), 12040);
    assert_int_equal(gather(root, "CUDA_VERSION=11.8.0", "CUDA_VERSION"), 11080);
    assert_int_equal(gather(root, "CUDA_VERSION=", json), 12040);
    assert_int_equal(gather(root, "CUDA_VERSION=latest", json), 12040);
    root_text(root, json, "{\"cuda\":\"12.4\"}");
    assert_int_equal(gather(root, NULL, text), 10020);
    root_text(root, text, "CUDA\n");
    assert_int_equal(gather(root, NULL, ""), 0);
    root_remove(root);
}

static void refuses_what_is_no_version(void **state)
{
    static const char *const none[] = {
        "",
        "{}",
        "[]",
        "{\"cuda\":{}}",
        "{\"cuda\":{\"version\":12.4}}",
        "{\"cuda\":{\"version\":\"12\\u002e4\"}}",
        "{\"cuda\":{\"version\":\"x\"}}",
        "{\"a\":{\"version\":\"12.4\"}}",
        "{\"cuda\":{\"version\":\"12.4\"}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
        assert_int_equal(cua_toolkit_json(none[i], strlen(none[i])), 0);
}

static void reads_names_of_mapped_runtimes(void **state)
{
    static const struct {
        const char *name;
        unsigned cuda;
        bool exact;
    } names[] = {
        {"libcudart.so.12.4.127", 12040, true},
        {"libcudart.so.12", 12000, false},
        {"libcudart.so.11.0", 11000, false},
        {"libcudart.so.11.8.89", 11080, true},
        {"libcudart.so.10.2", 10020, true},
        {"libcudart.so.9.0.176", 9000, true},
        {"libcudart-d0da41ae.so.11.0", 11000, false},
        {"libcudart-a7b20f20.so.12", 12000, false},
        {"libcudart.so", 0, false},
        {"libcudart.so.", 0, false},
        {"libcudart.so.12.4.127.bak", 0, false},
        {"libcudart.so.12a", 0, false},
        {"libcudart.so.99999", 0, false},
        {"libcudart_static.a", 0, false},
        {"libcuda.so.535.54.03", 0, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        bool exact = false;
        assert_int_equal(cua_toolkit_runtime(names[i].name, &exact), names[i].cuda);
        assert_int_equal(exact, names[i].exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_images_carry),
        cmocka_unit_test(refuses_what_is_no_version),
        cmocka_unit_test(reads_names_of_mapped_runtimes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
