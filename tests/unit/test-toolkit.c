/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA that a program needs: by its runtimes, else by the image it runs in. */
#include "unit.h"
#include "own-objects.h"
#include "root.h"
#include "facts/toolkit.h"
#include "facts/facts.h"
#include "command/process.h"
#include "machine/subject.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SITE    "/venv/lib/python3.11/site-packages"
#define RUNTIME SITE "/nvidia/cuda_runtime/lib"

static const char json[] = "/usr/local/cuda/version.json";

/* Of an unpacked image: nothing of this process counts. */
static unsigned image(const char *root, const char *env, const char *source)
{
    char *environment[] = {(char *)env, NULL};
    struct cua_subject subject = {.sysroot = root, .env = environment, .whatif = true};
    struct cua_facts facts = {0};

    cua_toolkit_gather(&facts, &subject, NULL);
    if (facts.toolkit.kind == CUA_TOOLKIT_NONE && cua_toolkit_has_image(&subject))
        cua_toolkit_image(&facts.toolkit, &subject);
    assert_string_equal(facts.toolkit.source, source);
    assert_int_equal(facts.toolkit.kind, source[0] ? CUA_TOOLKIT_HINT : CUA_TOOLKIT_NONE);
    return facts.toolkit.cuda;
}

static void reads_what_images_carry(void **state)
{
    char *root = root_make();

    (void)state;
    assert_int_equal(image(root, NULL, ""), 0);
    root_text(
        root, json,
        "{\n  \"cuda\" : {\n    \"name\" : \"CUDA SDK\",\n    \"version\" : \"12.4.1\"\n  },\n"
        "  \"cuda_cccl\" : {\n    \"version\" : \"12.4.127\"\n  }\n}\n");
    assert_int_equal(image(root, NULL, json), 12040);
    assert_int_equal(image(root, "CUDA_VERSION=11.8.0", "CUDA_VERSION"), 11080);
    assert_int_equal(image(root, "CUDA_VERSION=13.0.1.012", "CUDA_VERSION"), 13000);
    assert_int_equal(image(root, "CUDA_VERSION=", json), 12040);
    assert_int_equal(image(root, "CUDA_VERSION=latest", json), 12040);
    assert_int_equal(image(root, "CUDA_VERSION=13.0.1.x", json), 12040);
    assert_int_equal(image(root, "CUDA_VERSION=13.0.1.", json), 12040);
    assert_int_equal(image(root, "CUDA_VERSION=13.0.1.0.1", json), 12040);
    root_text(root, json, "{\"cuda\":\"12.4\"}");
    assert_int_equal(image(root, NULL, ""), 0);
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

static void reads_names_of_libraries(void **state)
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
        {"libnvrtc.so.11.2", 0, false},
        {"libnvrtc.so.12.4.127", 0, false},
        {"libnvJitLink.so.13", 0, false},
        {"libcudart.so", 0, false},
        {"libcudart.so.", 0, false},
        {"libcudart.so.12.4.127.bak", 0, false},
        {"libcudart.so.12a", 0, false},
        {"libcudart.so.99999", 0, false},
        {"libcudart_static.a", 0, false},
        {"libcuda.so.535.54.03", 0, false},
        {"libnvfatbin.so.12.4.127", 0, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        bool exact = false;
        assert_int_equal(cua_toolkit_file(names[i].name, &exact), names[i].cuda);
        assert_int_equal(exact, names[i].exact);
    }
}

/* A library of some other name and content will do: it is known by its name. */
static void *map(const char *root, const char *path)
{
    char whole[PATH_MAX];

    snprintf(whole, sizeof(whole), "%s%s", root, path);
    if (access(whole, F_OK) != 0)
        root_copy(root, path, lib_path("unit-stub.so"));
    void *library = dlopen(whole, RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        fail_msg("%s", dlerror());
    return library;
}

/* "exact 12.4 by NAME" */
static void is_now(const char *const *needed, const char *wanted)
{
    static const char *const kinds[] = {"none", "hint", "least", "exact"};
    char said[] = "CUDA_VERSION=13.1.0", *environment[] = {said, NULL};
    char got[256], cuda[12];
    struct cua_subject subject = {.sysroot = "/nowhere", .env = environment};
    struct cua_facts facts = {0};

    say_own_objects();
    cua_toolkit_gather(&facts, &subject, needed);
    snprintf(got, sizeof(got), "%s %s by %s", kinds[facts.toolkit.kind],
             cua_cuda_text(facts.toolkit.cuda, cuda), facts.toolkit.source);
    assert_string_equal(got, wanted);
}

static void asks_the_wheel_that_a_plain_file_is_of(void **state)
{
    char *root = root_make();
    void *library = map(root, RUNTIME "/libcudart.so.12");

    (void)state;
    is_now(NULL, "least 12.0 by libcudart.so.12");
    root_folder(root, SITE "/nvidia_cuda_runtime_cu11-11.8.89.dist-info");
    root_folder(root, SITE "/nvidia_cuda_runtime_cu12-12.x.dist-info");
    root_folder(root, SITE "/nvidia_cuda_nvrtc_cu12-12.6.20.dist-info");
    root_folder(root, SITE "/nvidia_cuda_runtime_cu12-12.4.127.egg-info");
    is_now(NULL, "least 12.0 by libcudart.so.12");
    root_folder(root, SITE "/nvidia_cuda_runtime_cu12-12.4.127.dist-info");
    is_now(NULL, "exact 12.4 by libcudart.so.12");
    /* What an upgrade left behind. */
    root_folder(root, SITE "/nvidia_cuda_runtime_cu12-12.1.105.dist-info");
    is_now(NULL, "least 12.0 by libcudart.so.12");
    dlclose(library);
    library = map(root, SITE "/nvidia/cu13/lib/libcudart.so.13");
    root_folder(root, SITE "/nvidia_cuda_runtime-13.0.48.dist-info");
    is_now(NULL, "exact 13.0 by libcudart.so.13");
    dlclose(library);
    root_remove(root);
}

static void follows_links_to_the_whole_version(void **state)
{
    char *root = root_make();

    (void)state;
    root_copy(root, "/lib/libcudart.so.11.8.89", lib_path("unit-stub.so"));
    root_link(root, "/lib/libcudart.so.11.0", "libcudart.so.11.8.89");
    void *library = map(root, "/lib/libcudart.so.11.0");
    is_now(NULL, "exact 11.8 by libcudart.so.11.8.89");
    dlclose(library);
    root_remove(root);
}

static void the_lowest_of_several_runtimes_decides(void **state)
{
    char *root = root_make();
    void *later = map(root, "/lib/libcudart.so.13.0.48");

    (void)state;
    is_now(NULL, "exact 13.0 by libcudart.so.13.0.48");
    void *earlier = map(root, "/torch/lib/libcudart-a7b20f20.so.12");
    is_now(NULL, "least 12.0 by libcudart-a7b20f20.so.12");
    dlclose(earlier);
    dlclose(later);
    is_now(NULL, "hint 13.1 by CUDA_VERSION");
    root_remove(root);
}

/* What another part of the facts is now: the lowest compiler, and what the image says beside a
 * runtime. */
static void beside_it(unsigned compiler, unsigned image)
{
    char said[] = "CUDA_VERSION=12.9.1", *environment[] = {said, NULL};
    struct cua_subject subject = {.sysroot = "/nowhere", .env = environment};
    struct cua_facts facts = {0};

    say_own_objects();
    cua_toolkit_gather(&facts, &subject, NULL);
    assert_int_equal(facts.toolkit.compiler, compiler);
    assert_int_equal(facts.toolkit.image, image);
}

/* They answer no 35: what they write may be too new. */
static void compilers_count_apart(void **state)
{
    char *root = root_make();
    void *compiler = map(root, "/lib/libnvrtc.so.13.2.51");

    (void)state;
    is_now(NULL, "hint 13.1 by CUDA_VERSION");
    beside_it(13020, 12090);
    void *runtime = map(root, "/lib/libcudart.so.12.4.127");
    is_now(NULL, "exact 12.4 by libcudart.so.12.4.127");
    beside_it(13020, 12090);
    dlclose(runtime);
    runtime = map(root, "/torch/lib/libcudart-a7b20f20.so.12");
    beside_it(13020, 12090);
    dlclose(runtime);

    void *wheel = map(root, SITE "/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
    beside_it(13020, 12090); /* some 12.x */
    root_folder(root, SITE "/nvidia_cuda_runtime_cu12-12.4.127.dist-info");
    root_folder(root, SITE "/nvidia_cuda_nvrtc_cu12-12.9.86.dist-info");
    beside_it(12090, 12090);
    dlclose(wheel);
    wheel = map(root, SITE "/nvidia/cuda_nvcc/nvvm/lib64/libnvvm.so.4");
    beside_it(13020, 12090);
    root_folder(root, SITE "/nvidia_cuda_nvcc_cu12-12.8.93.dist-info");
    beside_it(12080, 12090);
    dlclose(wheel);
    wheel = map(root, "/usr/local/cuda-12.6/nvvm/lib64/libnvvm.so.4.0.0");
    beside_it(12060, 12090);
    dlclose(wheel);
    root_copy(root, "/lib/libnvJitLink.so.12.5.40", lib_path("unit-stub.so"));
    root_link(root, "/lib/libnvJitLink.so.12", "libnvJitLink.so.12.5.40");
    wheel = map(root, "/lib/libnvJitLink.so.12");
    beside_it(12050, 12090);
    dlclose(wheel);
    dlclose(compiler);
    beside_it(0, 12090);
    root_remove(root);
}

/* FFmpeg's and the like open the native driver's codecs when a program decodes. */
static void sees_decoders(void **state)
{
    static const char *const names[] = {"/lib/libavcodec.so.59", "/lib/libdali.so",
                                        "/lib/libgstnvcodec.so", "/lib/libavutil.so.57"};
    char *root = root_make();

    (void)state;
    for (int i = 0; i < 4; i++) {
        const char *const needed[] = {names[i], NULL};
        struct cua_subject subject = {.sysroot = "/nowhere"};
        struct cua_facts facts = {0};
        say_own_objects();
        cua_toolkit_gather(&facts, &subject, needed);
        assert_int_equal(facts.decoder, i < 3);
        void *library = map(root, names[i]);
        say_own_objects();
        cua_toolkit_gather(&facts, &subject, NULL);
        assert_int_equal(facts.decoder, i < 3);
        dlclose(library);
        subject = (struct cua_subject){
            .sysroot = "/nowhere", .pid = 1, .mapped = (char *[]){(char *)names[i], NULL}};
        cua_toolkit_gather(&facts, &subject, NULL);
        assert_int_equal(facts.decoder, i < 3); /* of another process */
    }
    root_remove(root);
}

static void counts_what_is_about_to_be_loaded(void **state)
{
    char *root = root_make(), path[PATH_MAX];
    const char *const needed[] = {"/lib/libonnx.so", path, NULL};
    const char *const bare[] = {"libcudart.so.13", NULL}, *const none[] = {NULL};

    (void)state;
    root_copy(root, RUNTIME "/libcudart.so.12", lib_path("unit-stub.so"));
    root_folder(root, SITE "/nvidia_cuda_runtime_cu12-12.9.79.dist-info");
    snprintf(path, sizeof(path), "%s" RUNTIME "/libcudart.so.12", root);
    is_now(none, "hint 13.1 by CUDA_VERSION");
    is_now(needed, "exact 12.9 by libcudart.so.12");
    is_now(bare, "least 13.0 by libcudart.so.13");
    void *library = map(root, "/lib/libcudart.so.12.4.127");
    is_now(bare, "exact 12.4 by libcudart.so.12.4.127");
    dlclose(library);
    root_remove(root);
}

static void reads_another_process(void **state)
{
    char *root = root_make();
    struct cua_subject subject = {.sysroot = ""};
    struct cua_facts facts = {0};
    void *library = map(root, RUNTIME "/libcudart.so.12");

    (void)state;
    /* An emulator's /proc/PID/maps has the code of the program without the x. */
    if (getenv("MESON_EXE_WRAPPER")) {
        dlclose(library);
        root_remove(root);
        CUA_UNIT_SKIP("an emulator's /proc/PID/maps");
    }
    root_folder(root, SITE "/nvidia_cuda_runtime_cu12-12.4.127.dist-info");
    assert_int_equal(cua_subject_of_process(&subject, getpid()), 0);
    cua_toolkit_gather(&facts, &subject, NULL);
    assert_int_equal(facts.toolkit.kind, CUA_TOOLKIT_EXACT);
    assert_int_equal(facts.toolkit.cuda, 12040);
    cua_subject_release(&subject);
    dlclose(library);
    root_remove(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_images_carry),
        cmocka_unit_test(refuses_what_is_no_version),
        cmocka_unit_test(reads_names_of_libraries),
        cmocka_unit_test(asks_the_wheel_that_a_plain_file_is_of),
        cmocka_unit_test(follows_links_to_the_whole_version),
        cmocka_unit_test(the_lowest_of_several_runtimes_decides),
        cmocka_unit_test(compilers_count_apart),
        cmocka_unit_test(sees_decoders),
        cmocka_unit_test(counts_what_is_about_to_be_loaded),
        cmocka_unit_test(reads_another_process),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
