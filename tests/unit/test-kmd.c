/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "root.h"
#include "base/version.h"
#include "facts/facts.h"
#include "facts/kmd.h"
#include "machine/subject.h"

#define VERSION_FILE "/proc/driver/nvidia/version"
#define GCC_LINE     "GCC version:  gcc version 12.2.0 (Debian 12.2.0-14) \n"

static char *root;
static struct cua_kmd kmd;

static int make_root(void **state)
{
    (void)state;
    root = root_make();
    return 0;
}

static int remove_root(void **state)
{
    (void)state;
    root_remove(root);
    return 0;
}

static void gather(void)
{
    const struct cua_subject subject = {.sysroot = root};

    cua_kmd_gather(&kmd, &subject);
}

/* Verbatim, from the reports and releases that are named; the oldest from NVIDIA's
 * READMEs of their time. */
static const struct {
    const char *line;
    const char *version;
    enum cua_platform platform;
    enum cua_kmd_flavour flavour;
} forms[] = {
    /* tensorflow#4768 */
    {"NVRM version: NVIDIA UNIX x86_64 Kernel Module  352.63  Sat Nov  7 21:25:42 PST 2015",
     "352.63", CUA_PLATFORM_LINUX, CUA_KMD_PROPRIETARY},
    {"NVRM version: NVIDIA UNIX x86_64 Kernel Module  384.81  Wed Aug 17 22:24:07 PDT 2016",
     "384.81", CUA_PLATFORM_LINUX, CUA_KMD_PROPRIETARY},
    {"NVRM version: NVIDIA UNIX x86_64 Kernel Module 390.48 Thu Mar 22 00:42:57 PDT 2018", "390.48",
     CUA_PLATFORM_LINUX, CUA_KMD_PROPRIETARY},
    {"NVRM version: NVIDIA UNIX x86_64 Kernel Module  515.65.01  Wed Mar 16 11:24:05 UTC 2022",
     "515.65.01", CUA_PLATFORM_LINUX, CUA_KMD_PROPRIETARY},
    /* ollama#3024 */
    {"NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb 22 01:44:30 UTC 2024",
     "550.54.14", CUA_PLATFORM_LINUX, CUA_KMD_PROPRIETARY},
    /* nixGL#121: no date */
    {"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  525.60.11  Release Build  "
     "(archlinux-builder@localhost)",
     "525.60.11", CUA_PLATFORM_LINUX, CUA_KMD_OPEN},
    {"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  555.42.06  Release Build  "
     "(abuild@host)  Thu Jul 11 12:00:00 UTC 2024",
     "555.42.06", CUA_PLATFORM_LINUX, CUA_KMD_OPEN},
    /* Hyprland#6715: two parts, a date in Russian */
    {"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  555.58  Release Build  "
     "(portage@localhost)  Сб 29 июн 2024 14:36:22 MSK",
     "555.58", CUA_PLATFORM_LINUX, CUA_KMD_OPEN},
    /* nixGL#186 */
    {"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  565.57.01  Release Build  "
     "(dvs-builder@U16-A24-9-2)  Thu Oct 10 12:15:00 UTC 2024",
     "565.57.01", CUA_PLATFORM_LINUX, CUA_KMD_OPEN},
    {"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  590.48.01  Release Build  "
     "(dvs-builder@U22-I3-AE18-23-3)  Mon Dec  8 13:05:00 UTC 2025",
     "590.48.01", CUA_PLATFORM_LINUX, CUA_KMD_OPEN},
    {"NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  580.95.05  Release Build  "
     "(dvs-builder@U22-I3-AM20-05-2)  Tue Sep 23 10:11:16 UTC 2025",
     "580.95.05", CUA_PLATFORM_LINUX, CUA_KMD_OPEN},
    /* nixGL#139: Jetson Orin NX */
    {"NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  35.3.1  Release Build  "
     "(buildbrain@mobile-u64-6289-d7000)  Sun Mar 19 08:09:33 PDT 2023",
     "35.3.1", CUA_PLATFORM_TEGRA, CUA_KMD_OPEN},
    {"NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  540.4.0  Release Build  "
     "(buildbrain@mobile-u64-6336-d8000)  Tue Jan  7 17:35:12 PST 2025",
     "540.4.0", CUA_PLATFORM_TEGRA, CUA_KMD_OPEN},
    {"NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  540.4.0  Release Build  "
     "(user@host)  Tue Jan  7 17:35:12 PST 2025",
     "540.4.0", CUA_PLATFORM_TEGRA, CUA_KMD_OPEN},
    {"NVRM version: NVIDIA Linux x86 Kernel Module  1.0-9631  Thu Nov  9 17:38:20 PST 2006", "1.0",
     CUA_PLATFORM_LINUX, CUA_KMD_PROPRIETARY},
    {"NVRM version: NVIDIA UNIX x86 Kernel Module  185.18.36  Fri Aug 14 17:18:04 PDT 2009",
     "185.18.36", CUA_PLATFORM_LINUX, CUA_KMD_PROPRIETARY},
};

static void reads_every_form(void **state)
{
    static const char *const second[] = {
        GCC_LINE, "GCC version:  gcc version 7.5.0 (SUSE Linux) \n",
        "GCC version:  collect2: error: ld returned 1 exit status\n", ""};
    char text[1024];

    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        for (size_t j = 0; j < sizeof second / sizeof *second; j++) {
            snprintf(text, sizeof text, "%s\n%s", forms[i].line, second[j]);
            root_text(root, VERSION_FILE, text);
            gather();
            assert_string_equal(kmd.version.text, forms[i].version);
            assert_int_equal(kmd.platform, forms[i].platform);
            assert_int_equal(kmd.flavour, forms[i].flavour);
            assert_string_equal(kmd.source, VERSION_FILE);
            assert_string_equal(kmd.trouble, "");
        }
    }
}

static void never_takes_the_compiler_for_the_driver(void **state)
{
    (void)state;
    root_text(root, VERSION_FILE, GCC_LINE);
    gather();
    assert_false(cua_version_known(&kmd.version));
    assert_int_equal(kmd.platform, CUA_PLATFORM_LINUX);
    assert_non_null(strstr(kmd.trouble, "NVRM version:"));
    root_text(root, VERSION_FILE, "NVRM version: something else\n" GCC_LINE);
    gather();
    assert_false(cua_version_known(&kmd.version));
    root_text(root, VERSION_FILE,
              GCC_LINE "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.1  "
                       "date\n");
    gather();
    assert_string_equal(kmd.version.text, "550.1");
}

/* Nothing, 1 MiB of text, NUL bytes: a driver is there, its version is not known. */
static void survives_hostile_files(void **state)
{
    size_t size = 1u << 20;
    char *text = malloc(size + 1);

    (void)state;
    assert_non_null(text);
    root_text(root, VERSION_FILE, "");
    gather();
    assert_int_equal(kmd.platform, CUA_PLATFORM_LINUX);
    assert_false(cua_version_known(&kmd.version));
    assert_string_not_equal(kmd.trouble, "");
    memset(text, '9', size);
    root_bytes(root, VERSION_FILE, text, size);
    gather();
    assert_false(cua_version_known(&kmd.version));
    memset(text, ' ', size);
    memcpy(text, "NVRM version:", 13);
    root_bytes(root, VERSION_FILE, text, size);
    gather();
    assert_false(cua_version_known(&kmd.version));
    memset(text, 0, size);
    root_bytes(root, VERSION_FILE, text, size);
    gather();
    assert_false(cua_version_known(&kmd.version));
    memcpy(text + 100, forms[4].line, strlen(forms[4].line));
    root_bytes(root, VERSION_FILE, text, size);
    gather();
    assert_string_equal(kmd.version.text, "550.54.14");
    free(text);
}

static void is_not_held_up_by_a_pipe_or_a_folder(void **state)
{
    (void)state;
    root_fifo(root, VERSION_FILE);
    gather();
    assert_int_equal(kmd.platform, CUA_PLATFORM_LINUX);
    assert_string_not_equal(kmd.trouble, "");
    assert_false(cua_version_known(&kmd.version));
    root_remove(root);
    root = root_make();
    root_folder(root, VERSION_FILE);
    gather();
    assert_int_equal(kmd.platform, CUA_PLATFORM_LINUX);
    assert_false(cua_version_known(&kmd.version));
}

static void falls_back_on_the_module(void **state)
{
    (void)state;
    root_text(root, "/sys/module/nvidia/version", "535.261.03\n");
    gather();
    assert_string_equal(kmd.version.text, "535.261.03");
    assert_int_equal(kmd.platform, CUA_PLATFORM_LINUX);
    assert_string_equal(kmd.source, "/sys/module/nvidia/version");
    root_text(root, VERSION_FILE, "garbage\n");
    gather();
    assert_string_equal(kmd.version.text, "535.261.03");
    assert_string_equal(kmd.trouble, "");
    root_text(root, "/sys/module/nvidia/version", "garbage\n");
    gather();
    assert_false(cua_version_known(&kmd.version));
    assert_int_equal(kmd.platform, CUA_PLATFORM_LINUX);
}

static void says_why_the_version_is_unknown(void **state)
{
    (void)state;
    root_text(root, "/sys/module/nvidia/version", "535.261.03\n");
    root_text(root, VERSION_FILE, forms[4].line);
    gather();
    assert_string_equal(kmd.trouble,
                        "/proc/driver/nvidia/version has 550.54.14, /sys/module/nvidia/version has "
                        "535.261.03, and the kernel module did not tell which is right");
    root_remove(root);
    root = root_make();
    root_folder(root, "/sys/module/nvidia");
    gather();
    assert_string_equal(kmd.trouble,
                        "neither /proc/driver/nvidia/version nor /sys/module/nvidia/version nor "
                        "the driver itself tells its version");
}

static void knows_other_platforms(void **state)
{
    (void)state;
    gather();
    assert_int_equal(kmd.platform, CUA_PLATFORM_NONE);
    assert_string_equal(kmd.trouble, "");
    root_text(root, "/dev/dxg", "");
    gather();
    assert_int_equal(kmd.platform, CUA_PLATFORM_WSL);
    root_folder(root, "/sys/module/nvgpu");
    gather();
    assert_int_equal(kmd.platform, CUA_PLATFORM_TEGRA);
}

static void does_not_ask_a_file_that_is_no_device(void **state)
{
    (void)state;
    root_fifo(root, "/dev/nvidiactl");
    gather();
    assert_int_equal(kmd.platform, CUA_PLATFORM_NONE);
    assert_string_equal(kmd.trouble, "");
}

static void takes_no_plain_file_of_an_unpacked_image_for_a_driver(void **state)
{
    (void)state;
    root_text(root, "/dev/nvidiactl", "");
    gather();
    assert_int_equal(kmd.platform, CUA_PLATFORM_NONE);
    assert_string_equal(kmd.trouble, "");
}

#define IN_ROOT(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ROOT(reads_every_form),
        IN_ROOT(never_takes_the_compiler_for_the_driver),
        IN_ROOT(survives_hostile_files),
        IN_ROOT(is_not_held_up_by_a_pipe_or_a_folder),
        IN_ROOT(falls_back_on_the_module),
        IN_ROOT(says_why_the_version_is_unknown),
        IN_ROOT(knows_other_platforms),
        IN_ROOT(does_not_ask_a_file_that_is_no_device),
        IN_ROOT(takes_no_plain_file_of_an_unpacked_image_for_a_driver),
    };

    return cmocka_run_group_tests_name("kmd", tests, NULL, NULL);
}
