/* SPDX-License-Identifier: Apache-2.0 */
/* What a process sees of the GPUs, as CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER have it. */
#include "unit.h"
#include "facts/visible.h"
#include "facts/facts.h"
#include "machine/subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BY_SPEED   true
#define BY_ADDRESS false

static struct cua_gpu mixed[] = {
    {.model = "NVIDIA GeForce RTX 4090", .uuid = "GPU-aaaaaaaa-0000-0000-0000-000000000001"},
    {.model = "NVIDIA L20", .uuid = "GPU-aaaabbbb-0000-0000-0000-000000000002"},
    {.model = "NVIDIA L20", .uuid = "GPU-12345678-0000-0000-0000-000000000003"},
};
static struct cua_gpu equal[] = {
    {.model = "NVIDIA L20", .uuid = "GPU-aaaaaaaa-0000-0000-0000-000000000001"},
    {.model = "NVIDIA L20", .uuid = "GPU-aaaabbbb-0000-0000-0000-000000000002"},
    {.model = "NVIDIA L20", .uuid = "GPU-12345678-0000-0000-0000-000000000003"},
};
static struct cua_gpu nameless[] = {{.device = 0x26ba}, {.device = 0x26ba}, {.device = 0x26ba}};
static struct cua_gpu unlike[] = {{.device = 0x26ba}, {.device = 0x2684}, {.device = 0x26ba}};

/* `shown`: one letter a GPU, x for visible. */
static void is(struct cua_gpu *gpus, const char *list, bool fastest_first, const char *shown)
{
    struct cua_facts facts = {.gpus = gpus, .gpu_count = 3, .gpus_known = true};
    char got[4] = "...";

    cua_visible_read(&facts, list, fastest_first);
    for (size_t i = 0; i < 3; i++)
        if (gpus[i].visible)
            got[i] = 'x';
    if (strcmp(got, shown) != 0)
        fail_msg("%s: %s, not %s (%s)", list ? list : "unset", got, shown, facts.visible_note);
    assert_true(facts.visible_note[0]);
}

static void shows_all_or_none(void **state)
{
    (void)state;
    is(mixed, NULL, BY_SPEED, "xxx");
    is(mixed, "", BY_SPEED, "...");
    is(mixed, " ", BY_ADDRESS, "...");
    is(mixed, "-1", BY_ADDRESS, "...");
    is(mixed, "none", BY_ADDRESS, "...");
    is(mixed, "NoDevFiles", BY_ADDRESS, "...");
    is(mixed, ",0", BY_ADDRESS, "...");
}

static void counts_by_address(void **state)
{
    (void)state;
    is(mixed, "0", BY_ADDRESS, "x..");
    is(mixed, "2,1", BY_ADDRESS, ".xx");
    is(mixed, " 1 , 2 ", BY_ADDRESS, ".xx");
    is(mixed, "0,2,-1,1", BY_ADDRESS, "x.x");
    is(mixed, "1,7,0", BY_ADDRESS, ".x.");
    is(mixed, "1,,0", BY_ADDRESS, ".x.");
    is(mixed, "01", BY_ADDRESS, ".x.");
    is(mixed, "3", BY_ADDRESS, "...");
    is(mixed, "18446744073709551616", BY_ADDRESS, "...");
    is(mixed, "1,1", BY_ADDRESS, "...");
    is(mixed, "1,GPU-aaaabbbb", BY_ADDRESS, "...");
}

static void counts_by_speed_only_among_equals(void **state)
{
    (void)state;
    is(mixed, "1", BY_SPEED, "xxx");
    is(mixed, "0,1", BY_SPEED, "xxx");
    is(mixed, "0,1,2", BY_SPEED, "xxx");
    is(equal, "1", BY_SPEED, ".x.");
    is(nameless, "1", BY_SPEED, ".x.");
    is(unlike, "1", BY_SPEED, "xxx");
}

static void finds_uuids(void **state)
{
    (void)state;
    is(mixed, "GPU-aaaaaaaa-0000-0000-0000-000000000001", BY_SPEED, "x..");
    is(mixed, "GPU-aaaab", BY_SPEED, ".x.");
    is(mixed, "gpu-AAAAB", BY_SPEED, ".x.");
    is(mixed, "aaaabbbb", BY_SPEED, ".x.");
    is(mixed, "12345678-0000", BY_SPEED, "..x");
    is(mixed, "GPU-aaaa", BY_SPEED, "...");
    is(mixed, "GPU-", BY_SPEED, "...");
    is(mixed, "GPU-ffff,0", BY_SPEED, "...");
    is(mixed, "GPU-aaaab,GPU-123,GPU-x,GPU-aaaaa", BY_SPEED, ".xx");
    is(nameless, "GPU-aaaab", BY_SPEED, "xxx");
}

static void finds_the_gpu_of_a_mig_instance(void **state)
{
    (void)state;
    is(mixed, "MIG-GPU-aaaabbbb-0000-0000-0000-000000000002/1/0", BY_SPEED, ".x.");
    is(mixed,
       "MIG-GPU-aaaabbbb-0000-0000-0000-000000000002/1/0,"
       "MIG-GPU-aaaabbbb-0000-0000-0000-000000000002/2/0",
       BY_SPEED, ".x.");
    is(mixed, "MIG-c7bd2bf0-0000-0000-0000-000000000000", BY_SPEED, "xxx");
    is(mixed, "MIG-GPU-aaaabbbb", BY_SPEED, "xxx");
}

static void what_cannot_be_told_counts_all(void **state)
{
    (void)state;
    is(mixed, "1abx", BY_ADDRESS, "xxx");
    is(mixed, "0,0x1", BY_ADDRESS, "xxx");
}

/* /sys does not show which of its GPUs this process can open. */
static void an_index_without_nodes_counts_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++)
        mixed[i].minor = -1;
    is(mixed, "0", BY_ADDRESS, "xxx");
    is(mixed, "GPU-aaaabbbb-0000-0000-0000-000000000002", BY_ADDRESS, ".x.");
    is(mixed, "3", BY_ADDRESS, "...");
    for (size_t i = 0; i < 3; i++)
        mixed[i].minor = 0;
}

static void reads_the_environment(void **state)
{
    char one[] = "CUDA_VISIBLE_DEVICES=1", order[] = "CUDA_DEVICE_ORDER=PCI_BUS_ID";
    char *env[] = {one, order, NULL};
    struct cua_facts facts = {.gpus = mixed, .gpu_count = 3, .gpus_known = true};
    struct cua_subject subject = {.env = env};

    (void)state;
    cua_visible_apply(&facts, &subject, NULL);
    assert_true(!mixed[0].visible && mixed[1].visible && !mixed[2].visible);
    cua_visible_apply(&facts, &subject, "0,2");
    assert_true(mixed[0].visible && !mixed[1].visible && mixed[2].visible);
}

static void survives_anything(void **state)
{
    static const char letters[] = "0123456789,,,-GPUMIGabcdef/ \t\n\377";
    unsigned seed = 20261121;
    char list[64];

    (void)state;
    print_message("# seed %u\n", seed);
    for (int i = 0; i < 50000; i++) {
        struct cua_facts facts = {.gpus = mixed, .gpu_count = 3};
        size_t length = (size_t)rand_r(&seed) % (sizeof(list) - 1);
        for (size_t n = 0; n < length; n++)
            list[n] = letters[(size_t)rand_r(&seed) % (sizeof(letters) - 1)];
        list[length] = '\0';
        cua_visible_read(&facts, list, i & 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_all_or_none),
        cmocka_unit_test(counts_by_address),
        cmocka_unit_test(counts_by_speed_only_among_equals),
        cmocka_unit_test(finds_uuids),
        cmocka_unit_test(finds_the_gpu_of_a_mig_instance),
        cmocka_unit_test(what_cannot_be_told_counts_all),
        cmocka_unit_test(an_index_without_nodes_counts_all),
        cmocka_unit_test(reads_the_environment),
        cmocka_unit_test(survives_anything),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
