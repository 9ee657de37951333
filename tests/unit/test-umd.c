/* SPDX-License-Identifier: Apache-2.0 */
/* The candidates of a machine: which are found, each once. */
#include "umd.h"

#include <unistd.h>

#include "base/version.h"

static void tells_all_about_a_driver(void **state)
{
    struct cua_umd *umd;

    (void)state;
    put_driver(LIBDIR, NATIVE);
    gather();
    assert_int_equal(HASH_COUNT(facts.umds), 1);
    umd = must_find(LIBDIR "/libcuda.so." NATIVE);
    assert_int_equal(umd->state, CUA_UMD_USABLE);
    assert_string_equal(umd->trouble, "");
    assert_string_equal(umd->version.text, NATIVE);
    assert_false(umd->version_from_content);
    assert_true(umd == facts.loader);
    assert_true(umd->trusted);
    assert_true(umd->companions);
    assert_string_equal(umd->missing, "");
    assert_int_equal(umd->found, CUA_FOUND_DEFAULT);
    assert_false(umd->tegra);
    assert_int_equal(strncmp(umd->real, root, strlen(root)), 0);
}

static void takes_each_file_once_and_every_version(void **state)
{
    char path[PATH_MAX];

    (void)state;
    put_driver(LIBDIR, NATIVE);
    put_driver(LIBDIR, NEWER);
    put_driver(COMPAT, "560.28.03");
    root_link(root, "/usr/local/cuda", "cuda-12.4");
    root_link(root, "/lib", "usr/lib");
    root_link(root, COMPAT "/libcuda.so.1", LIBDIR "/libcuda.so." NATIVE);
    snprintf(path, sizeof path, "%s" LIBDIR "/libcuda.so." NATIVE, root);
    root_folder(root, "/usr/lib64");
    assert_int_equal(link(path, strcat(strcpy((char[PATH_MAX]){0}, root), "/usr/lib64/libcuda.so")),
                     0);
    gather();
    assert_int_equal(HASH_COUNT(facts.umds), 3);
    assert_int_equal(must_find(LIBDIR "/libcuda.so." NATIVE)->found,
                     CUA_FOUND_DEFAULT | CUA_FOUND_COMPAT);
    assert_true(must_find(LIBDIR "/libcuda.so." NEWER) == facts.loader);
    assert_false(must_find(COMPAT "/libcuda.so.560.28.03") == facts.loader);
}

static void looks_into_the_folders_that_are_known(void **state)
{
    static const char *const folders[] = {
        "/usr/lib/x86_64-linux-gnu/nvidia/current",
        "/usr/local/nvidia/lib64",
        "/usr/local/nvidia/lib",
        "/run/opengl-driver/lib",
        "/.singularity.d/libs",
        "/usr/lib/wsl/lib",
        "/usr/lib64",
        "/lib",
        "/usr/local/cuda-11.8/compat",
        "/usr/local/cuda-12.0/compat/lib",
        "/usr/local/cuda-13/compat/lib.real",
        "/usr/local/cuda/compat_orin",
        "/usr/lib/aarch64-linux-gnu/nvidia",
        "/usr/lib/aarch64-linux-gnu/tegra",
        "/home/kubernetes/bin/nvidia/lib64",
    };
    char version[32], path[PATH_MAX];
    size_t count = sizeof folders / sizeof *folders;

    (void)state;
    for (size_t i = 0; i < count; i++) {
        snprintf(version, sizeof version, "500.%zu", i);
        put_driver(folders[i], version);
    }
    gather();
    assert_int_equal(HASH_COUNT(facts.umds), count);
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/libcuda.so.500.%zu", folders[i], i);
        must_find(path);
    }
}

/* Where the kernel driver's version is known. */
static void passes_over_what_nothing_leads_to_where_ld_so_searches(void **state)
{
    (void)state;
    cua_version_parse(&facts.kmd.version, NATIVE);
    root_copy(root, LIBDIR "/libcuda.so." NEWER, lib_path("unit-driver.so"));
    root_copy(root, LIBDIR "/libcuda.so." NATIVE, lib_path("unit-driver.so"));
    root_copy(root, COMPAT "/libcuda.so." NEWER, lib_path("unit-driver.so"));
    cua_umds_gather(&facts, &subject);
    must_find(LIBDIR "/libcuda.so." NATIVE);
    must_find(COMPAT "/libcuda.so." NEWER);
    assert_null(find(LIBDIR "/libcuda.so." NEWER));
}

static void looks_where_the_environment_says(void **state)
{
    char *env[] = {(char *)"CUDA_HOME=/opt/cuda", (char *)"CONDA_PREFIX=/opt/conda/envs/x", NULL};

    (void)state;
    subject.env = env;
    subject.library_path = "/a:/b;/c";
    put_driver("/a", "500.1");
    put_driver("/b", "500.2");
    put_driver("/c", "500.3");
    put_driver("/opt/cuda/compat", "500.4");
    put_driver("/opt/conda/envs/x/cuda-compat", "500.5");
    gather();
    assert_int_equal(HASH_COUNT(facts.umds), 5);
    assert_true(must_find("/a/libcuda.so.500.1") == facts.loader);
    assert_int_equal(must_find("/c/libcuda.so.500.3")->found, CUA_FOUND_LIBRARY_PATH);
    assert_int_equal(must_find("/opt/conda/envs/x/cuda-compat/libcuda.so.500.5")->found,
                     CUA_FOUND_COMPAT);
}

static void sees_what_was_mounted(void **state)
{
    (void)state;
    root_text(root, "/proc/self/mountinfo",
              "21 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n"
              "36 21 98:0 /host/libcuda.so." NATIVE " /odd\\040place/libcuda.so." NATIVE
              " ro,nosuid - ext4 /dev/sda1 ro\n"
              "37 21 98:0 /x /odd\\040place/libnvidia-ml.so.1 ro - ext4 /dev/sda1 ro\n");
    put_driver("/odd place", NATIVE);
    put_driver("/odd place", NEWER);
    gather();
    assert_int_equal(HASH_COUNT(facts.umds), 1);
    assert_int_equal(must_find("/odd place/libcuda.so." NATIVE)->found, CUA_FOUND_MOUNT);
}

static void takes_the_file_that_is_named(void **state)
{
    (void)state;
    root_copy(root, "/anywhere/my-driver", lib_path("unit-driver.so"));
    root_mode(root, "/anywhere", 0777);
    strcpy(policy.libcuda, "/anywhere/my-driver");
    gather();
    assert_int_equal(must_find("/anywhere/my-driver")->found, CUA_FOUND_NAMED);
    assert_true(must_find("/anywhere/my-driver")->trusted);
    assert_string_equal(must_find("/anywhere/my-driver")->version.text, NATIVE);
}

static void asks_the_content_where_the_name_is_silent(void **state)
{
    struct cua_umd *umd;

    (void)state;
    root_copy(root, LIBDIR "/libcuda.so.1", lib_path("unit-driver.so"));
    gather();
    umd = must_find(LIBDIR "/libcuda.so.1");
    assert_int_equal(umd->state, CUA_UMD_USABLE);
    assert_true(umd->version_from_content);
    assert_string_equal(umd->version.text, NATIVE);
}

/* Two versions in one file: neither is believed. */
static void does_not_guess_a_version(void **state)
{
    static const char other[] = "nvidia-application-profiles-560.28.03-rc, and some more text that "
                                "follows it..";
    size_t size;
    char *bytes = file_read(lib_path("unit-driver.so"), &size);
    char *both = malloc(size + sizeof other);

    (void)state;
    assert_non_null(both);
    memcpy(both, bytes, size);
    memcpy(both + size, other, sizeof other);
    root_bytes(root, LIBDIR "/libcuda.so.1", both, size + sizeof other);
    gather();
    assert_int_equal(must_find(LIBDIR "/libcuda.so.1")->state, CUA_UMD_USABLE);
    assert_false(cua_version_known(&must_find(LIBDIR "/libcuda.so.1")->version));
    free(both);
    free(bytes);
}

static void knows_a_stub_and_another_maker(void **state)
{
    (void)state;
    subject.library_path = "/opt/cuda/lib64/stubs:/plain";
    root_copy(root, "/opt/cuda/lib64/stubs/libcuda.so", lib_path("unit-stub.so"));
    root_copy(root, "/plain/libcuda.so.1", lib_path("unit-stub.so"));
    root_copy(root, LIBDIR "/libcuda.so.1", lib_path("unit-foreign.so"));
    gather();
    assert_int_equal(must_find("/opt/cuda/lib64/stubs/libcuda.so")->state, CUA_UMD_STUB);
    assert_int_equal(must_find("/plain/libcuda.so.1")->state, CUA_UMD_STUB);
    assert_int_equal(must_find(LIBDIR "/libcuda.so.1")->state, CUA_UMD_FOREIGN);
    assert_int_equal(facts.loader->state, CUA_UMD_STUB);
    subject.library_path = NULL;
    gather();
    assert_int_equal(facts.loader->state, CUA_UMD_FOREIGN);
}

static void knows_the_real_stub(void **state)
{
    static const char stub[] = "/usr/local/cuda/lib64/stubs/libcuda.so";

    (void)state;
    if (access(stub, R_OK) != 0)
        CUA_UNIT_SKIP("no CUDA toolkit here");
    if (getenv("MESON_EXE_WRAPPER"))
        CUA_UNIT_SKIP("the one here is the build machine's");
    root_copy(root, LIBDIR "/libcuda.so.1", stub);
    gather();
    assert_int_equal(must_find(LIBDIR "/libcuda.so.1")->state, CUA_UMD_STUB);
}

static void knows_tegra(void **state)
{
    struct cua_umd *umd;

    (void)state;
    root_copy(root, "/usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1.1", lib_path("unit-driver.so"));
    gather();
    umd = must_find("/usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1.1");
    assert_true(umd->tegra);
    assert_false(cua_version_known(&umd->version));
}

static void misses_companions(void **state)
{
    char path[PATH_MAX];

    (void)state;
    put_driver(LIBDIR, NATIVE);
    snprintf(path, sizeof path, "%s" LIBDIR "/libnvidia-nvvm.so." NATIVE, root);
    assert_int_equal(unlink(path), 0);
    gather();
    assert_false(must_find(LIBDIR "/libcuda.so." NATIVE)->companions);
    assert_string_equal(must_find(LIBDIR "/libcuda.so." NATIVE)->missing,
                        "libnvidia-nvvm.so." NATIVE);
    put_driver(COMPAT, "470.57.02");
    snprintf(path, sizeof path, "%s" COMPAT "/libnvidia-nvvm.so.470.57.02", root);
    assert_int_equal(unlink(path), 0);
    gather();
    assert_true(must_find(COMPAT "/libcuda.so.470.57.02")->companions);
    snprintf(path, sizeof path, "%s" COMPAT "/libnvidia-ptxjitcompiler.so.470.57.02", root);
    assert_int_equal(unlink(path), 0);
    gather();
    assert_string_equal(must_find(COMPAT "/libcuda.so.470.57.02")->missing,
                        "libnvidia-ptxjitcompiler.so.470.57.02");
}

/* A folder with more candidates than anybody has: bounded, and none is met twice. */
static void is_bounded(void **state)
{
    char folder[64], file[128], path[32 * 64] = "";

    (void)state;
    for (int i = 0; i < 30; i++) {
        snprintf(folder, sizeof folder, "/f%02d", i);
        for (int j = 0; j < 20; j++) {
            snprintf(file, sizeof file, "%s/libcuda.so.5%02d.%d", folder, i, j);
            root_text(root, file, "");
        }
        strcat(path, i ? ":" : "");
        strcat(path, folder);
    }
    subject.library_path = path;
    gather();
    assert_int_equal(HASH_COUNT(facts.umds), 256);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ROOT(tells_all_about_a_driver),
        IN_ROOT(takes_each_file_once_and_every_version),
        IN_ROOT(looks_into_the_folders_that_are_known),
        IN_ROOT(passes_over_what_nothing_leads_to_where_ld_so_searches),
        IN_ROOT(looks_where_the_environment_says),
        IN_ROOT(sees_what_was_mounted),
        IN_ROOT(takes_the_file_that_is_named),
        IN_ROOT(asks_the_content_where_the_name_is_silent),
        IN_ROOT(does_not_guess_a_version),
        IN_ROOT(knows_a_stub_and_another_maker),
        IN_ROOT(knows_the_real_stub),
        IN_ROOT(knows_tegra),
        IN_ROOT(misses_companions),
        IN_ROOT(is_bounded),
    };

    return cmocka_run_group_tests_name("umd", tests, NULL, NULL);
}
