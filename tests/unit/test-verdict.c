/* SPDX-License-Identifier: Apache-2.0 */
/* Single verdicts that a row of tests/cases cannot say. */
#include "unit.h"
#include "machine.h"
#include "rules/rules.h"
#include "tables/tables.h"
#include "base/policy.h"
#include "base/reasons.h"
#include "base/version.h"
#include "facts/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void judge(struct cua_verdict *verdict, const struct cua_facts *facts,
                  const struct cua_policy *policy)
{
    assert_int_equal(cua_rules_judge(verdict, facts, policy), 0);
}

static void of_equal_natives_the_loaders_counts(void **state)
{
    const struct cua_policy policy = {0};
    struct cua_facts facts = {.kmd.platform = CUA_PLATFORM_LINUX};
    struct cua_verdict verdict;
    struct cua_umd *first, *second, *mounted;

    (void)state;
    cua_version_parse(&facts.kmd.version, "535.54.03");
    first = machine_umd(&facts, "/opt", "535.54.03", 1);
    second = machine_umd(&facts, "/opt", "535.54.03", 2);
    mounted = machine_umd(&facts, "/opt", "535.54.03", 3);
    first->found = second->found = CUA_FOUND_WELL_KNOWN;
    mounted->found = CUA_FOUND_WELL_KNOWN | CUA_FOUND_MOUNT;
    judge(&verdict, &facts, &policy);
    assert_ptr_equal(verdict.chosen, mounted);
    cua_verdict_free(&verdict);
    second->loader_default = true;
    judge(&verdict, &facts, &policy);
    assert_ptr_equal(verdict.chosen, second);
    assert_ptr_equal(verdict.without, second);
    assert_int_equal(verdict.without_code, 0);
    cua_verdict_free(&verdict);
    cua_facts_free(&facts);
}

/* What ld.so alone would take, and what that would answer. */
static void tells_what_would_have_happened(void **state)
{
    static const struct {
        const char *version, *model;
        enum cua_umd_state state;
        int code;
    } rows[] = {
        {"535.261.03", "NVIDIA L4", CUA_UMD_USABLE, 0},
        {"525.147.05", "NVIDIA L4", CUA_UMD_USABLE, 803},
        {"580.82.07", "NVIDIA L4", CUA_UMD_USABLE, 0},
        {"580.82.07", "NVIDIA GeForce RTX 4090", CUA_UMD_USABLE, 804},
        {"590.48.01", "Tesla V100-SXM2-16GB", CUA_UMD_USABLE, 0},
        {"545.29.06", "NVIDIA Something New", CUA_UMD_USABLE, -1},
        {"545.29.06", "NVIDIA L4", CUA_UMD_STUB, 34},
        {"545.29.06", "NVIDIA L4", CUA_UMD_DAMAGED, -1},
        {"555.58.02", "NVIDIA L4", CUA_UMD_USABLE, 0},
        {"570.211.01", "NVIDIA GeForce RTX 4090", CUA_UMD_USABLE, 804},
        {"610.43.02", "NVIDIA L4", CUA_UMD_USABLE, -1},
    };
    const struct cua_policy policy = {0};

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct cua_gpu gpu = {.visible = true};
        struct cua_facts facts = {.kmd.platform = CUA_PLATFORM_LINUX, .gpus_known = true};
        struct cua_verdict verdict;
        cua_version_parse(&facts.kmd.version, "535.261.03");
        cua_data_gpu_by_model(NULL, strcpy(gpu.model, rows[i].model), &gpu.brand, &gpu.cc);
        facts.gpus = memcpy(malloc(sizeof(gpu)), &gpu, sizeof(gpu));
        facts.gpu_count = 1;
        struct cua_umd *umd = machine_umd(&facts, "/usr/local/cuda/compat", rows[i].version, 1);
        umd->found = CUA_FOUND_COMPAT;
        umd->state = rows[i].state;
        umd->loader_default = true;
        judge(&verdict, &facts, &policy);
        assert_ptr_equal(verdict.without, umd);
        if (verdict.without_code != rows[i].code)
            fail_msg("%s on %s: %d", rows[i].version, rows[i].model, verdict.without_code);
        cua_verdict_free(&verdict);
        cua_facts_free(&facts);
    }
}

/* 535.261.03 with an A100 (or the model) and cuda-compat 550.163.01, which is certain there. */
static struct cua_umd *make_certain(struct cua_facts *facts, const char *model, bool native)
{
    struct cua_umd *compat;

    *facts = (struct cua_facts){.kmd.platform = CUA_PLATFORM_LINUX, .gpus_known = true};
    cua_version_parse(&facts->kmd.version, "535.261.03");
    facts->gpus = calloc(1, sizeof(*facts->gpus));
    facts->gpu_count = 1;
    facts->gpus->visible = true;
    cua_data_gpu_by_model(NULL, strcpy(facts->gpus->model, model), &facts->gpus->brand,
                          &facts->gpus->cc);
    if (native)
        machine_umd(facts, "/usr/lib", "535.261.03", 1);
    compat = machine_umd(facts, "/usr/local/cuda/compat", "550.163.01", 2);
    compat->found = CUA_FOUND_COMPAT;
    return compat;
}

static void trial_always_tries_what_is_certain(void **state)
{
    const struct cua_policy policy = {.trial = CUA_TRIAL_ALWAYS};
    struct cua_facts facts;
    struct cua_verdict verdict;
    struct cua_umd *compat = make_certain(&facts, "NVIDIA A100-SXM4-40GB", true);

    (void)state;
    judge(&verdict, &facts, &policy);
    assert_int_equal(verdict.want, CUA_WANT_TRIAL);
    assert_ptr_equal(verdict.trial, compat);
    assert_int_equal(verdict.kind, CUA_KIND_NATIVE);
    cua_verdict_free(&verdict);
    compat->tried = CUA_TRIAL_ANSWERED;
    judge(&verdict, &facts, &policy);
    assert_int_equal(verdict.want, CUA_WANT_NOTHING);
    assert_ptr_equal(verdict.chosen, compat);
    assert_int_equal(verdict.reason, CUA_REASON_NEWER_CERTAIN);
    cua_verdict_free(&verdict);
    compat->tried = CUA_TRIAL_SILENT;
    judge(&verdict, &facts, &policy);
    assert_int_equal(verdict.want, CUA_WANT_NOTHING);
    assert_int_equal(verdict.kind, CUA_KIND_NATIVE);
    cua_verdict_free(&verdict);
    cua_facts_free(&facts);
}

static void a_trial_never_overrules_what_is_impossible(void **state)
{
    const struct cua_policy policy = {.trial = CUA_TRIAL_ALWAYS};
    struct cua_facts facts;
    struct cua_verdict verdict;
    struct cua_umd *compat = make_certain(&facts, "NVIDIA GeForce RTX 3080", false);

    (void)state;
    for (int answer = 0; answer < 3; answer++) {
        compat->tried = answer < 2 ? CUA_TRIAL_ANSWERED : CUA_TRIAL_SILENT;
        compat->trial_code = answer == 1 ? 803 : 0;
        judge(&verdict, &facts, &policy);
        assert_int_equal(verdict.judgements[0].reason, CUA_REASON_NEWER_BRAND);
        assert_int_equal(verdict.reason, CUA_REASON_NO_NATIVE);
        assert_int_equal(verdict.works, CUA_WORKS_NO);
        cua_verdict_free(&verdict);
    }
    cua_facts_free(&facts);
}

static void policy_compat_warns_where_it_forces(void **state)
{
    static const struct {
        const char *model;
        bool forced;
        enum cua_works works;
    } rows[] = {
        {"NVIDIA A100-SXM4-40GB", false, CUA_WORKS_YES},
        {"NVIDIA Something New", false, CUA_WORKS_UNKNOWN},
        {"NVIDIA GeForce RTX 3080", true, CUA_WORKS_NO},
    };
    const struct cua_policy policy = {.kind = CUA_POLICY_COMPAT};

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct cua_facts facts;
        struct cua_verdict verdict;
        struct cua_umd *compat = make_certain(&facts, rows[i].model, true);
        judge(&verdict, &facts, &policy);
        assert_ptr_equal(verdict.chosen, compat);
        assert_int_equal(verdict.forced_warning, rows[i].forced);
        assert_int_equal(verdict.works, rows[i].works);
        cua_verdict_free(&verdict);
        cua_facts_free(&facts);
    }
}

static void codes_are_words_and_found_again(void **state)
{
    (void)state;
    for (int i = 0; i < CUA_REASON_COUNT; i++) {
        const char *code = cua_reason_code((enum cua_reason)i);
        assert_true(strlen(code) > 0 &&
                    strspn(code, "abcdefghijklmnopqrstuvwxyz-") == strlen(code));
        assert_int_equal(cua_reason_find(code), i);
        assert_true(cua_reason_meaning((enum cua_reason)i)[0]);
        assert_non_null(cua_reason_help((enum cua_reason)i));
    }
    assert_int_equal(cua_reason_find("no-such"), CUA_REASON_COUNT);
    assert_string_equal(cua_reason_code(CUA_REASON_COUNT), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_equal_natives_the_loaders_counts),
        cmocka_unit_test(tells_what_would_have_happened),
        cmocka_unit_test(trial_always_tries_what_is_certain),
        cmocka_unit_test(a_trial_never_overrules_what_is_impossible),
        cmocka_unit_test(policy_compat_warns_where_it_forces),
        cmocka_unit_test(codes_are_words_and_found_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
