/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs: what kernel modules of all ages say of them, and what names and PCI ids tell. */
#include "unit.h"

#include "facts/gpu.h"
#include "root.h"
#include "tables/tables.h"
#include "facts/facts.h"
#include "command/whatif.h"
#include "machine/subject.h"

#include <stdlib.h>
#include <string.h>

static void reads_every_form_of_information(void **state)
{
    static const struct {
        const char *text, *model, *uuid, *pci;
        int minor;
        bool excluded;
    } forms[] = {
        {"Model: \t\t Tesla K80\nGPU UUID: \t GPU-be0a1aaf-c92d-ce5e-6d53-1f064e6842f6\n"
         "Video BIOS: 80.21.25.00.01\nBus Type: PCI\nDMA Mask: 0xffffffffff\n"
         "Bus Location: 0000:00:04.0\nDevice Minor: 0\n",
         "Tesla K80", "GPU-be0a1aaf-c92d-ce5e-6d53-1f064e6842f6", "0000:00:04.0", 0, false},
        {"Model: \t\t GeForce GTX 1070     \nDevice Minor: 3\nBlacklisted:\t No\n",
         "GeForce GTX 1070", "", "", 3, false},
        {"Model: \t\t NVIDIA GeForce RTX 3090\nIRQ:   \t\t 181\n"
         "GPU UUID: \t GPU-eaf23aa1-4d3d-596c-da66-b86b0e5db584\nGPU Firmware: \t 590.48.01\n"
         "GPU Excluded:\t No\n",
         "NVIDIA GeForce RTX 3090", "GPU-eaf23aa1-4d3d-596c-da66-b86b0e5db584", "", -1, false},
        {"Model: \t\t GeForce 8400 GS\nIRQ: 16\nVideo BIOS: n/a\nCard Type: PCI-E\n",
         "GeForce 8400 GS", "", "", -1, false},
        {"Model: \t\t Unknown\nGPU UUID: \t GPU-\?\?\?\?\?\?\?\?-\?\?\?\?-\?\?\?\?\n"
         "Device Minor: \t 1\n",
         "", "", "", 1, false},
        {"Model: NVIDIA A100-SXM4-40GB\r\nGPU Excluded: Yes\r\n", "NVIDIA A100-SXM4-40GB", "", "",
         -1, true},
        {"Model: NVIDIA L4\nBlacklisted: Yes", "NVIDIA L4", "", "", -1, true},
        {"Model\nModel:\nGPU UUID: x\nBus Location: no:where\nDevice Minor: 1x\n\n:\n: :", "", "",
         "", -1, false},
        {"Model: bad\001name\nDevice Minor: 99999999999\n", "", "", "", -1, false},
        {"", "", "", "", -1, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
        struct cua_gpu gpu = {.brand = CUA_BRAND_UNKNOWN, .minor = -1};
        cua_gpu_read(&gpu, forms[i].text);
        assert_string_equal(gpu.model, forms[i].model);
        assert_string_equal(gpu.uuid, forms[i].uuid);
        assert_string_equal(gpu.pci, forms[i].pci);
        assert_int_equal(gpu.minor, forms[i].minor);
        assert_int_equal(gpu.excluded, forms[i].excluded);
    }
}

static void knows_names(void **state)
{
    static const struct {
        const char *model;
        int brand;
        unsigned cc;
    } names[] = {
        {"Tesla T4", 2, 75},
        {"Tesla V100S-PCIE-32GB", 2, 70},
        {"Tesla P100-PCIE-16GB", 2, 60},
        {"Tesla P40", 2, 61},
        {"Tesla K80", 2, 37},
        {"A100-SXM4-40GB", 14, 80},
        {"NVIDIA A100 80GB PCIe", 14, 80},
        {"NVIDIA A10", 14, 86},
        {"NVIDIA A10G", 14, 86},
        {"NVIDIA L40S", 14, 89},
        {"NVIDIA H100 80GB HBM3", 14, 90},
        {"NVIDIA GH200 480GB", 14, 90},
        {"NVIDIA B200", 14, 100},
        {"NVIDIA GB10", 14, 121},
        {"NVIDIA RTX A6000", 13, 86},
        {"NVIDIA RTX 6000 Ada Generation", 13, 89},
        {"NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", 13, 120},
        {"Quadro RTX 8000", 12, 75},
        {"Quadro P4000", 1, 61},
        {"Quadro GV100", 1, 70},
        {"GeForce GTX 1080 Ti", 5, 61},
        {"NVIDIA GeForce RTX 2050", 5, 86},
        {"NVIDIA GeForce RTX 2080 Ti", 5, 75},
        {"NVIDIA GeForce RTX 5090 Laptop GPU", 5, 120},
        {"GeForce GT 220", 5, 0},
        {"NVIDIA TITAN V", 6, 70},
        {"NVIDIA TITAN RTX", 6, 75},
        {"GRID K520", 4, 30},
        /* virtual GPUs: Q vWS, C vCS, B vPC, A vApps */
        {"GRID T4-8C", 9, 75},
        {"GRID T4-16Q", 10, 75},
        {"GRID T4-1B", 8, 75},
        {"GRID T4-2B4", 8, 75},
        {"GRID RTX8000P-6Q", 10, 75},
        {"NVIDIA RTX6000P-4C", 9, 75},
        {"NVIDIA T4G", CUA_BRAND_UNKNOWN, 75},
        {"NVIDIA A30X", CUA_BRAND_UNKNOWN, 80},
        {"NVIDIA DGX Display", CUA_BRAND_UNKNOWN, 75},
        {"NVIDIA GeForce RTX 3050 A Laptop GPU", 5, 89},
        {"NVIDIA GeForce RTX 3050 Laptop GPU", 5, 86},
        {"NVIDIA RTX PRO 6000 Blackwell Server Edition", 14, 120},
        {"NVIDIA RTX PRO 6000 Blackwell Workstation Edition", 13, 120},
        {"GRID T4-4A", 7, 75},
        {"GRID V100DX-16Q", 10, 70},
        {"NVIDIA A40-48Q", 10, 86},
        {"NVIDIA A100-1-5CME", 9, 80},
        {"NVIDIA A100-40C", 9, 80},
        {"NVIDIA RTX6000-Ada-48Q", 10, 89},
        {"NVIDIA H100XM-80C", 9, 90},
        /* brand or all of it unknown */
        {"NVIDIA T1000", CUA_BRAND_UNKNOWN, 75},
        {"NVIDIA CMP 170HX", CUA_BRAND_UNKNOWN, 80},
        {"NVIDIA A1000000", CUA_BRAND_UNKNOWN, 0},
        {"NVIDIA Graphics Device", CUA_BRAND_UNKNOWN, 0},
        {"", CUA_BRAND_UNKNOWN, 0},
        {"-8C", CUA_BRAND_UNKNOWN, 0},
        {"8C", CUA_BRAND_UNKNOWN, 0},
        {"NVIDIA ", CUA_BRAND_UNKNOWN, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        const struct cua_known known = cua_data_gpu_by_model(NULL, names[i].model);
        if (known.brand != names[i].brand || known.cc != names[i].cc)
            fail_msg("%s: brand %d, cc %u", names[i].model, known.brand, known.cc);
    }
}

static void falls_back_on_the_pci_id(void **state)
{
    /* The first two ids are of two boards each, of two brands. */
    static const struct {
        unsigned device;
        int brand;
        unsigned cc;
    } boards[] = {{0x1fb0, CUA_BRAND_UNKNOWN, 75},
                  {0x1fb2, CUA_BRAND_UNKNOWN, 75},
                  {0x20b6, CUA_BRAND_UNKNOWN, 80},
                  {0x233a, 14, 90},
                  {0x28b0, 13, 89},
                  {0x1eb4, CUA_BRAND_UNKNOWN, 75}};
    struct cua_gpu gpu;

    (void)state;
    for (size_t i = 0; i < sizeof(boards) / sizeof(*boards); i++) {
        gpu = (struct cua_gpu){.brand = CUA_BRAND_UNKNOWN, .device = boards[i].device};
        cua_gpu_identify(&gpu, NULL);
        assert_int_equal(gpu.brand, boards[i].brand);
        assert_int_equal(gpu.cc, boards[i].cc);
    }
    gpu = (struct cua_gpu){.brand = CUA_BRAND_UNKNOWN, .device = 0x2684};
    cua_gpu_identify(&gpu, NULL);
    assert_int_equal(gpu.brand, 5); /* GeForce RTX 4090 */
    assert_int_equal(gpu.cc, 89);
    assert_string_equal(gpu.source, "pci");
    assert_false(gpu.guessed);

    gpu = (struct cua_gpu){.brand = CUA_BRAND_UNKNOWN, .device = 0x0fc1};
    cua_gpu_identify(&gpu, NULL);
    assert_int_equal(gpu.brand, 5); /* GeForce GT 640, by pci.ids alone */
    assert_true(gpu.guessed);

    gpu = (struct cua_gpu){.brand = CUA_BRAND_UNKNOWN, .device = 0x20b2, .model = "GRID Odd-8C"};
    cua_gpu_identify(&gpu, NULL);
    assert_int_equal(gpu.brand, 9);
    assert_int_equal(gpu.cc, 80);
    assert_string_equal(gpu.source, "model, pci");
    assert_false(gpu.guessed);

    gpu = (struct cua_gpu){.brand = CUA_BRAND_UNKNOWN, .device = 0x1};
    cua_gpu_identify(&gpu, NULL);
    assert_int_equal(gpu.brand, CUA_BRAND_UNKNOWN);
    assert_int_equal(gpu.cc, 0);
    assert_string_equal(gpu.source, "");
}

static void gather(struct cua_facts *facts, const char *sysroot)
{
    char *env[] = {NULL};
    struct cua_subject subject = {.sysroot = sysroot, .env = env};

    *facts = (struct cua_facts){0};
    cua_gpus_gather(facts, &subject);
}

static void lists_what_the_kernel_module_lists(void **state)
{
    char *root = root_make();
    struct cua_facts facts;

    (void)state;
    root_text(root, "/proc/driver/nvidia/gpus/0000:41:00.0/information",
              "Model: NVIDIA L4\nDevice Minor: 1\n");
    root_text(root, "/proc/driver/nvidia/gpus/0000:05:00.0/information",
              "Model: Unknown\nDevice Minor: 0\n");
    root_text(root, "/proc/driver/nvidia/gpus/0000:c1:00.0/information",
              "Model: NVIDIA L4\nGPU Excluded: Yes\nDevice Minor: 2\n");
    root_text(root, "/sys/bus/pci/devices/0000:05:00.0/device", "0x2330\n");
    gather(&facts, root);
    assert_int_equal(facts.gpu_count, 2);
    assert_true(facts.gpus_known);
    assert_string_equal(facts.gpus[0].pci, "0000:05:00.0");
    assert_string_equal(facts.gpus[0].model, "");
    assert_int_equal(facts.gpus[0].brand, 14); /* H100, by its PCI id */
    assert_int_equal(facts.gpus[0].cc, 90);
    assert_string_equal(facts.gpus[1].model, "NVIDIA L4");
    assert_true(facts.gpus[1].visible);
    free(facts.gpus);

    /* The node of a GPU that is excluded says nothing about the others. */
    root_text(root, "/dev/nvidia2", "");
    gather(&facts, root);
    assert_int_equal(facts.gpu_count, 2);
    free(facts.gpus);

    /* Of the host's GPUs only one was given to this container. */
    root_text(root, "/dev/nvidia1", "");
    gather(&facts, root);
    assert_int_equal(facts.gpu_count, 1);
    assert_string_equal(facts.gpus[0].model, "NVIDIA L4");
    free(facts.gpus);
    root_remove(root);
}

static void lists_old_cards_and_pci_devices(void **state)
{
    char *root = root_make();
    struct cua_facts facts;

    (void)state;
    gather(&facts, root);
    assert_int_equal(facts.gpu_count, 0);
    assert_false(facts.gpus_known);

    root_text(root, "/sys/bus/pci/devices/0000:00:02.0/vendor", "0x8086\n");
    root_text(root, "/sys/bus/pci/devices/0000:00:02.0/class", "0x030000\n");
    root_text(root, "/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n");
    root_text(root, "/sys/bus/pci/devices/0000:01:00.0/class", "0x030000\n");
    root_text(root, "/sys/bus/pci/devices/0000:01:00.0/device", "0x1eb8\n");
    root_text(root, "/sys/bus/pci/devices/0000:01:00.1/vendor", "0x10de\n");
    root_text(root, "/sys/bus/pci/devices/0000:01:00.1/class", "0x040300\n");
    root_text(root, "/sys/bus/pci/devices/0000:02:00.0/vendor", "0x10de\n");
    root_text(root, "/sys/bus/pci/devices/0000:02:00.0/class", "0x030200\n");
    gather(&facts, root);
    assert_int_equal(facts.gpu_count, 2);
    assert_int_equal(facts.gpus[0].brand, 2); /* T4 */
    assert_int_equal(facts.gpus[1].brand, CUA_BRAND_UNKNOWN);
    free(facts.gpus);

    root_text(root, "/proc/driver/nvidia/cards/0", "Model: \t\t GeForce 8400 GS\nIRQ: 16\n");
    gather(&facts, root);
    assert_int_equal(facts.gpu_count, 1);
    assert_string_equal(facts.gpus[0].model, "GeForce 8400 GS");
    free(facts.gpus);
    root_remove(root);
}

static void takes_what_the_command_line_says(void **state)
{
    const char *const gpu[] = {"NVIDIA GeForce RTX 4090", "NVIDIA Something", "Tesla T4"};
    const char *const cc[] = {"8.9", "9.9"};
    const struct cua_overrides overrides = {.gpu = gpu, .gpu_count = 3, .cc = cc, .cc_count = 2};
    struct cua_facts facts = {0};
    struct cua_subject subject = {.sysroot = "/nonexistent"};

    (void)state;
    cua_whatif(&facts, CUA_FACT_GPUS, &subject, &overrides);
    assert_int_equal(facts.gpu_count, 3);
    assert_int_equal(facts.gpus[0].brand, 5);
    assert_int_equal(facts.gpus[0].cc, 89);
    assert_int_equal(facts.gpus[1].brand, CUA_BRAND_UNKNOWN);
    assert_int_equal(facts.gpus[1].cc, 99);
    assert_string_equal(facts.gpus[1].source, "--cc");
    assert_int_equal(facts.gpus[2].cc, 75);
    assert_string_equal(facts.gpus[2].source, "--gpu");
    free(facts.gpus);
    assert_int_equal(cua_cc_parse("12.1"), 121);
    assert_int_equal(cua_cc_parse("8"), 0);
    assert_int_equal(cua_cc_parse("8.99"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_form_of_information),
        cmocka_unit_test(knows_names),
        cmocka_unit_test(falls_back_on_the_pci_id),
        cmocka_unit_test(lists_what_the_kernel_module_lists),
        cmocka_unit_test(lists_old_cards_and_pci_devices),
        cmocka_unit_test(takes_what_the_command_line_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
