/* SPDX-License-Identifier: Apache-2.0 */
/* Other platforms, policies, what is asked for, and the words of a verdict. */
#include "verdict.h"

static void other_platforms(void **state)
{
    struct cua_umd *native, *one;

    (void)state;
    machine(NULL);
    facts.kmd.platform = CUA_PLATFORM_WSL;
    loader(COMPAT, "580.95.05");
    native = umd("/usr/lib/wsl/lib", "0.0");
    native->version = (struct cua_version){.text = ""};
    facts.native = cua_find_native(&facts);
    ruled(native, CUA_WORKS_YES, CUA_REASON_NATIVE);
    facts.loader = one = umd("/copied", "0.0"); /* whose it is nobody knows: tried */
    one->version = (struct cua_version){.text = ""};
    tries(one);
    machine("540.4.0");
    facts.kmd.platform = CUA_PLATFORM_TEGRA;
    native = umd(LIB "/nvidia", "1.1");
    native->tegra = true;
    native->cuda = 12060;
    facts.native = cua_find_native(&facts);
    loader(COMPAT, "580.95.05");
    ruled(native, CUA_WORKS_YES, CUA_REASON_NATIVE);
    one = loader("/usr/local/cuda/compat_orin", "1.1");
    one->tegra = one->note.present = true;
    one->cuda = 13000;
    ruled(one, CUA_WORKS_YES, CUA_REASON_KEPT);
    one->cuda = 0;
    tries(one);
    cua_version_parse(&facts.kmd.version, "580.00"); /* Thor runs ordinary compat builds */
    one = loader(COMPAT, "590.48.01");
    tries(one);
}

/* What works stays: a library of a driver's, whatever the policy. */
static void parts(void **state)
{
    static const enum cua_policy_kind kinds[] = {CUA_POLICY_AUTO, CUA_POLICY_HOST,
                                                 CUA_POLICY_COMPAT, CUA_POLICY_NEWEST};
    struct cua_umd *native, *one;

    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        machine(KMD);
        facts.part = true;
        policy.kind = kinds[i];
        one = loader("/patched", KMD);
        ruled(one, CUA_WORKS_YES, CUA_REASON_KEPT);
        one->state = CUA_UMD_FOREIGN;
        ruled(one, CUA_WORKS_UNKNOWN, CUA_REASON_KEPT);
        one->state = CUA_UMD_USABLE;
        one->version = (struct cua_version){.text = ""};
        ruled(one, CUA_WORKS_UNKNOWN, CUA_REASON_KEPT);
        cua_version_parse(&one->version, i % 2 ? "550.163.01" : "525.147.05");
        facts.native = NULL;
        facts.asked[CUA_FACT_NATIVE] = false;
        asks(CUA_FACT_NATIVE);
        facts.asked[CUA_FACT_NATIVE] = true;
        ruled(one, CUA_WORKS_NO, CUA_REASON_KEPT);
        native = umd(LIB, KMD);
        native->loads = CUA_LOADS_UNASKED;
        asks(CUA_FACT_LOADS);
        native->loads = CUA_LOADS_NO;
        ruled(one, CUA_WORKS_NO, CUA_REASON_KEPT);
        native->loads = CUA_LOADS_YES;
        ruled(native, CUA_WORKS_YES, CUA_REASON_NATIVE);
        facts.loader = NULL;
        ruled(native, CUA_WORKS_YES, CUA_REASON_NATIVE);
    }
}

static void policies(void **state)
{
    static const struct {
        const char *model;
        enum cua_works works;
    } rows[] = {
        {"NVIDIA A100-SXM4-40GB", CUA_WORKS_YES},
        {"NVIDIA Something New", CUA_WORKS_UNKNOWN},
        {"NVIDIA GeForce RTX 3080", CUA_WORKS_NO},
    };
    struct cua_umd *native, *one;

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        machine(KMD);
        gpu(rows[i].model);
        loader(LIB, KMD);
        one = umd(COMPAT, "550.163.01");
        policy.kind = CUA_POLICY_COMPAT;
        ruled(one, rows[i].works, CUA_REASON_POLICY_COMPAT);
    }
    machine(KMD);
    gpu("NVIDIA A100-SXM4-40GB");
    native = umd(LIB, KMD);
    one = loader(COMPAT, "550.163.01");
    policy.kind = CUA_POLICY_HOST;
    ruled(native, CUA_WORKS_YES, CUA_REASON_POLICY_HOST);
    policy.kind = CUA_POLICY_REPORT;
    ruled(one, CUA_WORKS_YES, CUA_REASON_KEPT);
    strcpy(policy.libcuda, "/named");
    native->found |= CUA_FOUND_NAMED;
    ruled(native, CUA_WORKS_YES, CUA_REASON_POLICY_FILE);
    native->state = CUA_UMD_DAMAGED; /* cannot be opened: as if unset */
    ruled(one, CUA_WORKS_YES, CUA_REASON_KEPT);
    /* Equal versions: one order, whatever the folder. */
    machine(KMD);
    native = umd("/b", KMD);
    one = umd("/a", KMD);
    ruled(one, CUA_WORKS_YES, CUA_REASON_NATIVE);
}

/* The latest CUDA that answers 0, and nothing that would not load or is only guessed at. */
static void newest_is_tried_first(void **state)
{
    struct cua_umd *native, *newer, *newest;

    (void)state;
    for (int i = 0; i < 9; i++) {
        machine(KMD);
        gpu("NVIDIA A100-SXM4-40GB");
        native = loader(LIB, KMD);
        newer = umd(COMPAT, "550.163.01");
        newest = umd(COMPAT, "570.124.06");
        policy.kind = CUA_POLICY_NEWEST;
        tries(newest);
        answers(newer, 0);
        answers(newest, i == 1 ? 803 : 0);
        newest->loads = i == 2 ? CUA_LOADS_NO : CUA_LOADS_YES;
        newest->companions = i != 3;
        facts.mps = i == 4;
        facts.bound = i == 5;
        facts.by_name = i != 6;
        policy.trial = i == 7 ? CUA_TRIAL_NEVER : CUA_TRIAL_AUTO;
        if (i == 8)
            gpu("NVIDIA GeForce RTX 4090");
        if (i == 0)
            ruled(newest, CUA_WORKS_YES, CUA_REASON_POLICY_NEWEST);
        else if (i < 4)
            ruled(newer, CUA_WORKS_YES, CUA_REASON_POLICY_NEWEST);
        else
            ruled(native, CUA_WORKS_YES, CUA_REASON_NATIVE);
    }
    /* None is newer, the program's CUDA is later than any, or L's is not known: as auto. */
    machine(KMD);
    gpu("NVIDIA A100-SXM4-40GB");
    newest = loader(COMPAT, "570.124.06");
    native = umd(LIB, KMD);
    policy.kind = CUA_POLICY_NEWEST;
    ruled(newest, CUA_WORKS_YES, CUA_REASON_KEPT);
    facts.loader = native;
    answers(newest, 0);
    ruled(newest, CUA_WORKS_YES, CUA_REASON_POLICY_NEWEST);
    program(CUA_TOOLKIT_EXACT, 13000);
    ruled(native, CUA_WORKS_NO, CUA_REASON_RUNTIME_TOO_NEW);
    program(CUA_TOOLKIT_NONE, 0);
    native->cuda = 0;
    ruled(native, CUA_WORKS_YES, CUA_REASON_NATIVE);
}

/* Of those of one CUDA the later build, in whatever order they were found. */
static void newest_of_one_cuda(void **state)
{
    static const char *const builds[] = {"570.124.06", "570.148.08"};
    struct cua_umd *one, *other;

    (void)state;
    for (int i = 0; i < 2; i++) {
        machine(KMD);
        gpu("NVIDIA A100-SXM4-40GB");
        loader(LIB, KMD);
        one = umd(COMPAT, builds[i]);
        other = umd(COMPAT, builds[!i]);
        policy.kind = CUA_POLICY_NEWEST;
        answers(one, 0);
        answers(other, 0);
        one->loads = other->loads = CUA_LOADS_YES;
        ruled(i ? one : other, CUA_WORKS_YES, CUA_REASON_POLICY_NEWEST);
    }
}

/* Before it tries anything: companions and ties are compared with native's. */
static void newest_asks_for_native(void **state)
{
    (void)state;
    machine(KMD);
    gpu("NVIDIA A100-SXM4-40GB");
    loader(LIB, KMD);
    umd(COMPAT, "570.124.06");
    policy.kind = CUA_POLICY_NEWEST;
    facts.native = NULL;
    facts.asked[CUA_FACT_NATIVE] = false;
    asks(CUA_FACT_NATIVE);
}

/* Where nothing can be tried, one without its companions comes last. */
static void newest_takes_whole_ones(void **state)
{
    struct cua_umd *whole, *alone;

    (void)state;
    machine(KMD);
    gpu("NVIDIA A100-SXM4-40GB");
    loader(LIB, KMD);
    whole = umd(COMPAT, "580.95.05");
    alone = umd(COMPAT, "590.48.01");
    note(whole, 535, 570);
    note(alone, 535, 570);
    alone->companions = false;
    policy.kind = CUA_POLICY_NEWEST;
    policy.trial = CUA_TRIAL_NEVER;
    program(CUA_TOOLKIT_EXACT, 13000);
    ruled(whole, CUA_WORKS_YES, CUA_REASON_NEWER_CERTAIN);
}

/* What cuInit of the loader's choice would answer. */
static void tells_the_code(void **state)
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
        {"990.10.01", "NVIDIA L4", CUA_UMD_USABLE, -1},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        machine(KMD);
        gpu(rows[i].model);
        loader(COMPAT, rows[i].version)->state = rows[i].state;
        if (cua_judge_code(&facts, facts.loader) != rows[i].code)
            fail_msg("%s on %s: %d", rows[i].version, rows[i].model,
                     cua_judge_code(&facts, facts.loader));
    }
}

/* An L that is native asks for nothing dear. */
static void asks_for_the_cheapest_next(void **state)
{
    struct cua_umd *one;

    (void)state;
    machine(KMD);
    one = loader(LIB, KMD);
    memset(facts.asked, 0, sizeof(facts.asked));
    static const enum cua_fact order[] = {CUA_FACT_KMD, CUA_FACT_LOADER, CUA_FACT_TOOLKIT};
    for (size_t i = 0; i < COUNT(order); i++) {
        asks(order[i]);
        facts.asked[order[i]] = true;
    }
    ruled(one, CUA_WORKS_YES, CUA_REASON_NATIVE);
    assert_int_equal(verdict.rests_on,
                     1u << CUA_FACT_KMD | 1u << CUA_FACT_LOADER | 1u << CUA_FACT_TOOLKIT);
    program(CUA_TOOLKIT_HINT, 12020);
    asks(CUA_FACT_TABLES);
    facts.asked[CUA_FACT_TABLES] = true;
    ruled(one, CUA_WORKS_YES, CUA_REASON_NATIVE);
    program(CUA_TOOLKIT_HINT, 13000);
    asks(CUA_FACT_NATIVE);
}

static void codes_are_words_and_found_again(void **state)
{
    (void)state;
    for (int i = 0; i < CUA_REASON_COUNT; i++) {
        const char *code = cua_reason_code((enum cua_reason)i);
        assert_true(strlen(code) > 0 &&
                    strspn(code, "abcdefghijklmnopqrstuvwxyz-") == strlen(code));
        for (int j = 0; j < i; j++)
            assert_string_not_equal(code, cua_reason_code((enum cua_reason)j));
        assert_true(cua_reason_meaning((enum cua_reason)i)[0]);
        assert_non_null(cua_reason_help((enum cua_reason)i));
    }
    assert_string_equal(cua_reason_code(CUA_REASON_COUNT), "");
}

/* The longest list that a note can have. */
static void a_long_list_ends_with_its_sentence(void **state)
{
    static const char *const ends[] = {")", ") and on these GPUs"};
    struct cua_detail detail;
    char *end;

    (void)state;
    for (size_t i = 0; i < COUNT(ends); i++) {
        machine(KMD);
        gpu("NVIDIA A100-SXM4-80GB");
        struct cua_umd *one = loader(COMPAT, "580.95.05");
        note(one, i ? 535 : 400, 401);
        for (one->note.branches = 2; one->note.branches < CUA_NOTE_MAX; one->note.branches++)
            one->note.branch[one->note.branches] = 400 + (unsigned)one->note.branches;
        cua_judge(&detail, &facts, one);
        print_message("# %s\n", detail.text);
        assert_non_null(end = strchr(detail.text, ')'));
        assert_string_equal(end, ends[i]);
        assert_true(end[-4] == ' ' && strspn(end - 3, "0123456789") == 3);
        CUA_UNIT_WITHIN(strlen(detail.text), sizeof(detail.text) - 4, sizeof(detail.text) - 1);
    }
}

/* The best by declaration has just answered 803: it is not the one that helps. */
static void a_trial_outranks_a_declaration(void **state)
{
    struct cua_umd *one, *other;

    (void)state;
    for (int kind = CUA_POLICY_AUTO; kind <= CUA_POLICY_NEWEST; kind++) {
        machine(KMD);
        gpu("NVIDIA A100-SXM4-40GB");
        policy.kind = (enum cua_policy_kind)kind;
        answers(loader(LIB, "545.23.08"), 803);
        one = umd(COMPAT, "550.163.01");
        answers(one, 803);
        other = umd(COMPAT, "545.29.06");
        answers(other, 0);
        ruled(other, CUA_WORKS_YES, CUA_REASON_NEWER_CERTAIN);
        assert_int_equal(cua_judge_code(&facts, one), 803);
        answers(other, 804);
        ruled(NULL, CUA_WORKS_NO, CUA_REASON_NO_NATIVE);
    }
    /* Nothing can be tried: as auto, which ranks by the evidence and not by the CUDA. */
    machine(KMD);
    gpu("NVIDIA A100-SXM4-40GB");
    policy.kind = CUA_POLICY_NEWEST;
    policy.trial = CUA_TRIAL_NEVER;
    loader(LIB, "525.147.05");
    umd(COMPAT, "550.163.01");
    one = umd(COMPAT, "545.29.06");
    note(one, 535, 545);
    ruled(one, CUA_WORKS_YES, CUA_REASON_NEWER_CERTAIN);
    /* The host's driver, where its own trial counts against it. */
    machine(KMD);
    gpu("NVIDIA A100-SXM4-40GB");
    answers(loader(LIB, "545.23.08"), 803);
    answers(umd(LIB, KMD), 34);
    ruled(NULL, CUA_WORKS_NO, CUA_REASON_NO_NATIVE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_trial_outranks_a_declaration, end_machine),
        cmocka_unit_test(other_platforms),
        cmocka_unit_test(parts),
        cmocka_unit_test(policies),
        cmocka_unit_test(newest_is_tried_first),
        cmocka_unit_test(newest_of_one_cuda),
        cmocka_unit_test(newest_asks_for_native),
        cmocka_unit_test(newest_takes_whole_ones),
        cmocka_unit_test(tells_the_code),
        cmocka_unit_test(asks_for_the_cheapest_next),
        cmocka_unit_test(codes_are_words_and_found_again),
        cmocka_unit_test(a_long_list_ends_with_its_sentence),
    };

    return cmocka_run_group_tests(tests, NULL, end_machine);
}
