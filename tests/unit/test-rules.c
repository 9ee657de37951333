/* SPDX-License-Identifier: Apache-2.0 */
/* What holds for every machine: random facts from a fixed seed. Single machines: test-verdict.c,
 * tests/cases. */
#include "unit.h"
#include "machine.h"
#include "rules/rules.h"
#include "tables/tables.h"
#include "base/policy.h"
#include "base/reasons.h"
#include "base/version.h"
#include "elf/compat_note.h"
#include "facts/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED     20261121
#define MACHINES 5000
#define MOST     6

static unsigned seed;

static unsigned any(unsigned n)
{
    return (unsigned)rand_r(&seed) % n;
}

static bool one_in(unsigned n)
{
    return any(n) == 0;
}

static const char *const versions[] = {
    "384.183",    "410.129",   "418.226.00", "440.118.02", "450.248.02", "455.45.01",
    "460.106.00", "470.82.01", "470.256.02", "510.108.03", "525.147.05", "535.54.03",
    "535.261.03", "545.29.06", "550.163.01", "565.57.01",  "575.57.08",  "580.82.07",
    "580.126.16", "590.48.01", "595.58.03",  "610.43.02",  "615.65.02",  "620.11.01",
};
static const char *const models[] = {
    "NVIDIA GeForce RTX 4090",
    "Tesla V100-SXM2-16GB",
    "Tesla T4",
    "NVIDIA A100-SXM4-40GB",
    "NVIDIA H100 PCIe",
    "Quadro RTX 8000",
    "Quadro P4000",
    "NVIDIA RTX A6000",
    "GRID T4-8C",
    "NVIDIA TITAN RTX",
    "Tesla K80",
    "NVIDIA Something New",
};
static const char *const folders[] = {
    "/usr/lib/x86_64-linux-gnu", "/usr/local/cuda/compat", "/usr/local/nvidia/lib64",
    "/opt/conda/cuda-compat",    "/usr/lib/wsl/lib",
};

static struct cua_umd *add_any(struct cua_facts *facts, const char *version, unsigned number)
{
    const char *folder = folders[any(COUNT(folders))];
    struct cua_umd *umd = machine_umd(facts, folder, version, number);

    umd->found = strstr(folder, "compat") ? CUA_FOUND_COMPAT : CUA_FOUND_DEFAULT;
    umd->found |= one_in(4) ? CUA_FOUND_MOUNT : 0;
    return umd;
}

static void vary(struct cua_umd *umd)
{
    umd->state = one_in(6) ? (enum cua_umd_state)any(6) : CUA_UMD_USABLE;
    umd->trusted = !one_in(6);
    umd->companions = !one_in(6);
    umd->tegra = one_in(12);
    if (one_in(12))
        umd->version = (struct cua_version){.text = ""};
    if (one_in(4)) {
        umd->note = (struct cua_note){.present = true, .has_branches = !one_in(4)};
        umd->note.cuda = umd->cuda;
        for (unsigned i = 0; umd->note.has_branches && i < 4; i++)
            umd->note.branch[umd->note.branches++] = (unsigned)atoi(versions[any(COUNT(versions))]);
        umd->note.has_brands = umd->note.has_branches;
        for (unsigned i = 1; umd->note.has_brands && i < 15; i++)
            if (i < 3 || i > 6)
                umd->note.brand[umd->note.brands++] = (int)i;
    }
}

static void make_machine(struct cua_facts *facts)
{
    static const enum cua_platform platforms[] = {
        CUA_PLATFORM_LINUX, CUA_PLATFORM_LINUX, CUA_PLATFORM_LINUX, CUA_PLATFORM_LINUX,
        CUA_PLATFORM_LINUX, CUA_PLATFORM_LINUX, CUA_PLATFORM_LINUX, CUA_PLATFORM_WSL,
        CUA_PLATFORM_TEGRA, CUA_PLATFORM_NONE};
    const char *kmd = versions[any(COUNT(versions))];
    unsigned umds = any(MOST);

    *facts = (struct cua_facts){.kmd.platform = platforms[any(COUNT(platforms))],
                                .gpus_known = !one_in(8),
                                .mps = one_in(12),
                                .foreign = one_in(30)};
    if (!one_in(20) && facts->kmd.platform != CUA_PLATFORM_WSL)
        cua_version_parse(&facts->kmd.version, kmd);
    for (unsigned i = 0; i < umds; i++)
        vary(add_any(facts, one_in(3) ? kmd : versions[any(COUNT(versions))], i));
    unsigned first = umds ? any(umds) : 0;
    for (struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next) {
        umd->loader_default = umd->key.ino == first;
        if (facts->kmd.platform == CUA_PLATFORM_TEGRA && !one_in(3)) {
            umd->tegra = true;
            umd->cuda = one_in(4) ? 0 : 11040 + any(4) * 1000;
        }
    }
    facts->gpu_count = any(4);
    facts->gpus = calloc(4, sizeof(*facts->gpus));
    for (size_t i = 0; i < facts->gpu_count; i++) {
        struct cua_gpu *gpu = &facts->gpus[i];
        snprintf(gpu->model, sizeof(gpu->model), "%s",
                 models[one_in(2) ? 2 + any(3) : any(COUNT(models))]);
        cua_data_gpu_by_model(NULL, gpu->model, &gpu->brand, &gpu->cc);
        gpu->visible = !one_in(3);
    }
    if (one_in(2))
        facts->toolkit.cuda = 10000 + any(4) * 1000 + any(5) * 10;
}

static void make_policy(struct cua_policy *policy, enum cua_policy_kind kind)
{
    *policy = (struct cua_policy){.kind = kind, .trial = (enum cua_trial_kind)any(3)};
}

static const struct cua_umd *native_of(const struct cua_facts *facts)
{
    const struct cua_umd *umd = facts->umds;

    for (; umd; umd = umd->hh.next)
        if (facts->kmd.platform == CUA_PLATFORM_LINUX && cua_version_known(&facts->kmd.version) &&
            cua_version_compare(&umd->version, &facts->kmd.version) == 0 && !umd->tegra &&
            umd->state == CUA_UMD_USABLE && (umd->trusted || umd->loader_default))
            return umd;
    return NULL;
}

static bool sees_geforce(const struct cua_facts *facts)
{
    bool seen = false, all = true;

    for (size_t i = 0; i < facts->gpu_count; i++)
        all &= !facts->gpus[i].visible;
    for (size_t i = 0; i < facts->gpu_count; i++)
        seen |= facts->gpus[i].brand == 5 && (all || facts->gpus[i].visible);
    return seen;
}

static void judge(struct cua_verdict *verdict, const struct cua_facts *facts,
                  const struct cua_policy *policy)
{
    assert_int_equal(cua_rules_judge(verdict, facts, policy), 0);
}

static void same(const struct cua_verdict *a, const struct cua_verdict *b)
{
    assert_ptr_equal(a->chosen, b->chosen);
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->works, b->works);
    assert_int_equal(a->want, b->want);
    assert_ptr_equal(a->trial, b->trial);
}

/* Runs a check on many machines. */
static void for_all(enum cua_policy_kind kind,
                    void (*check)(struct cua_facts *facts, const struct cua_policy *policy,
                                  struct cua_verdict *verdict))
{
    seed = SEED;
    print_message("# seed %u, %u machines\n", seed, MACHINES);
    for (unsigned i = 0; i < MACHINES; i++) {
        struct cua_facts facts;
        struct cua_policy policy;
        struct cua_verdict verdict;
        make_machine(&facts);
        make_policy(&policy, kind);
        judge(&verdict, &facts, &policy);
        check(&facts, &policy, &verdict);
        cua_verdict_free(&verdict);
        cua_facts_free(&facts);
    }
}

static void check_sound(struct cua_facts *facts, const struct cua_policy *policy,
                        struct cua_verdict *verdict)
{
    const struct cua_umd *chosen = verdict->chosen;

    (void)policy;
    assert_true(verdict->explanation[0]);
    assert_true(verdict->without_code == 0 || verdict->without_code == 34 ||
                verdict->without_code == 803 || verdict->without_code == 804 ||
                verdict->without_code == -1);
    assert_int_equal(verdict->chosen == NULL, verdict->kind == CUA_KIND_NONE);
    if (!chosen) {
        assert_true(verdict->works != CUA_WORKS_YES);
        return;
    }
    assert_int_equal(chosen->state, CUA_UMD_USABLE);
    assert_true(chosen->trusted || chosen->loader_default);
    if (facts->kmd.platform != CUA_PLATFORM_LINUX)
        return;
    assert_true(cua_version_compare(&chosen->version, &facts->kmd.version) >= 0);
    if (verdict->kind == CUA_KIND_NATIVE)
        return;
    assert_int_equal(verdict->kind, CUA_KIND_COMPAT);
    assert_false(sees_geforce(facts));
    assert_true(chosen->companions);
    assert_false(facts->mps);
    assert_true(facts->gpus_known && facts->gpu_count > 0);
    if (native_of(facts) && chosen->cuda && native_of(facts)->cuda)
        assert_true(chosen->cuda > native_of(facts)->cuda);
}

static void under_auto_nothing_unsound_is_chosen(void **state)
{
    (void)state;
    for_all(CUA_POLICY_AUTO, check_sound);
}

static void check_host(struct cua_facts *facts, const struct cua_policy *policy,
                       struct cua_verdict *verdict)
{
    (void)policy;
    if (native_of(facts) && !facts->foreign) {
        assert_int_equal(verdict->kind, CUA_KIND_NATIVE);
        assert_int_equal(verdict->want, CUA_WANT_NOTHING);
    }
}

static void under_host_native_is_chosen_where_it_is(void **state)
{
    (void)state;
    for_all(CUA_POLICY_HOST, check_host);
}

static void check_pure(struct cua_facts *facts, const struct cua_policy *policy,
                       struct cua_verdict *verdict)
{
    struct cua_verdict again;

    judge(&again, facts, policy);
    same(verdict, &again);
    assert_int_equal(verdict->reason, again.reason);
    assert_string_equal(verdict->explanation, again.explanation);
    assert_string_equal(verdict->help, again.help);
    cua_verdict_free(&again);
}

static void the_same_facts_give_the_same_verdict(void **state)
{
    (void)state;
    for_all(CUA_POLICY_AUTO, check_pure);
}

static int shuffled(const struct cua_umd *a, const struct cua_umd *b)
{
    unsigned x = (unsigned)a->key.ino * 2654435761u ^ seed,
             y = (unsigned)b->key.ino * 2654435761u ^ seed;

    return x < y ? -1 : x > y;
}

static void check_order(struct cua_facts *facts, const struct cua_policy *policy,
                        struct cua_verdict *verdict)
{
    struct cua_verdict again;

    HASH_SORT(facts->umds, shuffled);
    judge(&again, facts, policy);
    same(verdict, &again);
    assert_int_equal(verdict->reason, again.reason);
    assert_string_equal(verdict->explanation, again.explanation);
    assert_ptr_equal(verdict->without, again.without);
    assert_int_equal(verdict->without_code, again.without_code);
    cua_verdict_free(&again);
}

static void the_order_of_candidates_never_matters(void **state)
{
    (void)state;
    for (int kind = CUA_POLICY_AUTO; kind <= CUA_POLICY_OFF; kind++)
        for_all((enum cua_policy_kind)kind, check_order);
}

/* A candidate that cannot work. */
static void add_useless(struct cua_facts *facts)
{
    struct cua_umd *umd = add_any(facts, versions[any(COUNT(versions))], 99);

    switch (any(3)) {
    case 0:
        umd->state = (enum cua_umd_state)(1 + any(4));
        break;
    case 1:
        umd->trusted = false;
        break;
    default:
        cua_version_parse(&umd->version, "367.57");
        umd->found = CUA_FOUND_DEFAULT;
        umd->state =
            facts->kmd.platform == CUA_PLATFORM_LINUX && cua_version_known(&facts->kmd.version)
                ? CUA_UMD_USABLE
                : CUA_UMD_STUB;
    }
}

static void check_useless(struct cua_facts *facts, const struct cua_policy *policy,
                          struct cua_verdict *verdict)
{
    struct cua_verdict again;

    add_useless(facts);
    judge(&again, facts, policy);
    same(verdict, &again);
    if (verdict->chosen)
        assert_int_equal(verdict->reason, again.reason);
    cua_verdict_free(&again);
}

static void a_candidate_that_cannot_work_changes_nothing(void **state)
{
    (void)state;
    for_all(CUA_POLICY_AUTO, check_useless);
    for_all(CUA_POLICY_HOST, check_useless);
}

/* What gather.c does: finds out what the rules want, until they want nothing. */
static void check_ends(struct cua_facts *facts, const struct cua_policy *policy,
                       struct cua_verdict *verdict)
{
    unsigned rounds = 0;

    for (; verdict->want != CUA_WANT_NOTHING; rounds++) {
        assert_true(rounds <= HASH_COUNT(facts->umds) + 1);
        if (verdict->want == CUA_WANT_NVML) {
            assert_false(facts->nvml_asked);
            facts->nvml_asked = true;
        } else {
            struct cua_umd *umd;
            assert_int_equal(verdict->want, CUA_WANT_TRIAL);
            assert_int_not_equal(policy->trial, CUA_TRIAL_NEVER);
            HASH_FIND(hh, facts->umds, &verdict->trial->key, sizeof(umd->key), umd);
            assert_int_equal(umd->tried, CUA_TRIAL_NONE);
            assert_int_equal(umd->state, CUA_UMD_USABLE);
            umd->tried = one_in(4) ? CUA_TRIAL_SILENT : CUA_TRIAL_ANSWERED;
            umd->trial_code = one_in(2) ? 0 : 803;
        }
        cua_verdict_free(verdict);
        judge(verdict, facts, policy);
        /* Never a newer one that a trial refused, nor one on a GeForce whatever it said. */
        if (verdict->kind == CUA_KIND_COMPAT) {
            assert_false(verdict->chosen->tried == CUA_TRIAL_ANSWERED &&
                         verdict->chosen->trial_code != 0);
            assert_true(facts->kmd.platform == CUA_PLATFORM_TEGRA || !sees_geforce(facts));
        }
    }
    if (verdict->reason == CUA_REASON_NEWER_CERTAIN && policy->trial != CUA_TRIAL_ALWAYS)
        assert_int_equal(verdict->chosen->tried, CUA_TRIAL_NONE);
}

static void asking_ends(void **state)
{
    (void)state;
    for_all(CUA_POLICY_AUTO, check_ends);
}

static bool seen[CUA_REASON_COUNT];

static void check_seen(struct cua_facts *facts, const struct cua_policy *policy,
                       struct cua_verdict *verdict)
{
    check_ends(facts, policy, verdict);
    seen[verdict->reason] = true;
    for (size_t i = 0; i < verdict->judgement_count; i++)
        seen[verdict->judgements[i].reason] = true;
}

static void check_file(struct cua_facts *facts, const struct cua_policy *policy,
                       struct cua_verdict *verdict)
{
    struct cua_policy named = *policy;

    strcpy(named.libcuda, "/named");
    if (!facts->umds)
        return;
    facts->umds->found |= CUA_FOUND_NAMED;
    cua_verdict_free(verdict);
    judge(verdict, facts, &named);
    if (facts->umds->state == CUA_UMD_DAMAGED || facts->umds->state == CUA_UMD_ARCH ||
        facts->umds->state == CUA_UMD_UNREADABLE)
        assert_int_not_equal(verdict->reason, CUA_REASON_POLICY_FILE);
    else
        assert_ptr_equal(verdict->chosen, facts->umds);
    check_seen(facts, &named, verdict);
}

static void every_reason_is_given_somewhere(void **state)
{
    (void)state;
    for (int kind = CUA_POLICY_AUTO; kind <= CUA_POLICY_OFF; kind++)
        for_all((enum cua_policy_kind)kind, check_seen);
    for_all(CUA_POLICY_AUTO, check_file);
    for (int i = 0; i < CUA_REASON_COUNT; i++)
        if (!seen[i])
            fail_msg("%s is never given", cua_reason_code((enum cua_reason)i));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(under_auto_nothing_unsound_is_chosen),
        cmocka_unit_test(under_host_native_is_chosen_where_it_is),
        cmocka_unit_test(the_same_facts_give_the_same_verdict),
        cmocka_unit_test(the_order_of_candidates_never_matters),
        cmocka_unit_test(a_candidate_that_cannot_work_changes_nothing),
        cmocka_unit_test(asking_ends),
        cmocka_unit_test(every_reason_is_given_somewhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
