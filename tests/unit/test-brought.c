/* SPDX-License-Identifier: Apache-2.0 */
/* A program of CUDA 13 on a host of CUDA 12, and drivers that somebody brought: each condition
 * under which one of them is taken, and which one. */
#include "rules/brought.h"
#include "verdict.h"

#define STORE "/opt/cuarbiter/drivers"

static struct cua_umd *brings(const char *version)
{
    struct cua_umd *one = umd(STORE, version);

    one->found = CUA_FOUND_BROUGHT;
    note(one, 535, 580);
    return one;
}

/* 535 with an A100, a runtime of some 13.x, and 590 of CUDA 13.1 in the store. */
static struct cua_umd *later_major(void)
{
    machine(KMD);
    gpu("NVIDIA A100-SXM4-80GB");
    loader(LIB, KMD);
    program(CUA_TOOLKIT_LEAST, 13000);
    return brings("590.48.01");
}

static void stays(const char *why, enum cua_reason reason)
{
    cua_rule(&verdict, &facts, &policy);
    if (verdict.next != CUA_FACT_NOTHING || verdict.chosen != facts.loader ||
        verdict.reason != reason)
        fail_msg("%s: fact %d, %s", why, verdict.next, cua_reason_code(verdict.reason));
}

static void is_refused(const char *why)
{
    stays(why, CUA_REASON_RUNTIME_TOO_NEW);
}

static void it_is_taken_after_a_trial_that_answers_0(void **state)
{
    struct cua_umd *one = later_major();

    (void)state;
    tries(one);
    assert_int_equal(verdict.trials, 1);
    answers(one, 0);
    ruled(one, CUA_WORKS_YES, CUA_REASON_NEWER_BROUGHT);
    assert_int_equal(verdict.kind, CUA_KIND_BROUGHT);
    for (int code = -1; code < 1000; code += code < 0 ? 3 : 400) {
        answers(one, code);
        is_refused("another answer");
    }
    policy.trial = CUA_TRIAL_NEVER;
    answers(one, 0);
    is_refused("no trial");
}

static struct cua_kernel_run *ran(struct cua_umd *one, const char *kmd, size_t gpu, bool runs)
{
    struct cua_kernel_run *run;

    if (!one->runs)
        one->runs = calloc(CUA_RUNS_MOST, sizeof *one->runs);
    assert_non_null(one->runs);
    run = &one->runs[one->run_count++];
    cua_version_parse(&run->kmd, kmd);
    run->cc = facts.gpus[gpu].cc;
    run->runs = runs;
    strcpy(run->model, facts.gpus[gpu].model);
    return run;
}

/* `driver try` on this machine is as good as a note, for what it tried; and outranks one that it
 * refutes. */
static void what_was_tried_here_counts(void **state)
{
    struct cua_umd *one = later_major();
    struct cua_kernel_run *run;
    struct cua_detail detail;

    (void)state;
    ran(one, KMD, 0, false);
    is_refused("it has a note, but no kernel ran");
    one->run_count = 0;
    one->note = (struct cua_note){.present = false};
    is_refused("nothing shows that it runs");
    run = ran(one, KMD, 0, true);
    tries(one);
    answers(one, 0);
    ruled(one, CUA_WORKS_YES, CUA_REASON_NEWER_BROUGHT);
    one->tried = CUA_TRIAL_NONE;
    run->cc++;
    is_refused("another GPU of that name");
    run->cc--;
    run->model[0]++;
    is_refused("another model");
    run->model[0]--;
    cua_version_parse(&run->kmd, "535.161.08");
    is_refused("another kernel driver");
    cua_version_parse(&run->kmd, KMD);
    cua_version_parse(&facts.kmd.version, "560.35.05"); /* which no table has for 590 */
    cua_version_parse(&run->kmd, "560.35.05");
    assert_int_equal(cua_judge(&detail, &facts, one), CUA_REASON_NEWER_CERTAIN);
    assert_string_equal(
        detail.text, "'cuarbiter driver try' ran a CUDA kernel with 590.48.01 on every GPU here");
    facts.circumstances.mig = true;
    assert_int_equal(cua_judge(&detail, &facts, one), CUA_REASON_BROUGHT_PART);
    facts.circumstances.mig = false;
    cua_version_parse(&facts.kmd.version, KMD);
    cua_version_parse(&run->kmd, KMD);
    tries(one);
    facts.gpus_known = false;
    is_refused("there may be more GPUs");
    facts.gpus_known = true;
    gpu("NVIDIA H100 80GB HBM3");
    is_refused("a second GPU that was not tried");
    ran(one, KMD, 1, false);
    is_refused("a second GPU on which it failed");
    one->runs[1].runs = true;
    tries(one);
    facts.mps = true;
    is_refused("under MPS");
    facts.mps = false;
    note(one, 550, 580);
    is_refused("its note excludes this kernel driver");
    one->note = (struct cua_note){.present = false};
    tries(one);
    memset(facts.gpus[0].model, 0, sizeof facts.gpus[0].model);
    memset(one->runs[0].model, 0, sizeof one->runs[0].model);
    is_refused("a GPU without a model");
}

/* What works or is asked for by path pays nothing for a store. */
static void the_store_is_asked_for_last(void **state)
{
    struct cua_umd *bundled;

    (void)state;
    later_major();
    facts.asked[CUA_FACT_BROUGHT] = false;
    asks(CUA_FACT_BROUGHT);
    program(CUA_TOOLKIT_LEAST, 12000);
    stays("the host's serves", CUA_REASON_NATIVE);
    program(CUA_TOOLKIT_NONE, 0);
    stays("nothing says that it does not", CUA_REASON_NATIVE);
    program(CUA_TOOLKIT_LEAST, 13000);
    facts.by_name = false;
    is_refused("asked for by path");
    facts.by_name = true;
    facts.bound = true;
    is_refused("a library of the host's driver");
    facts.bound = false;
    policy.unbrought = true;
    is_refused("CUARBITER_DRIVERS=no");
    policy.unbrought = false;
    policy.trial = CUA_TRIAL_NEVER;
    is_refused("no trials");
    policy.trial = CUA_TRIAL_AUTO;
    bundled = umd(COMPAT, "580.82.07");
    note(bundled, 535, 580);
    ruled(bundled, CUA_WORKS_YES, CUA_REASON_NEWER_CERTAIN);
}

static void gpus_are_asked_for_where_one_would_serve(void **state)
{
    static const enum cua_fact order[] = {CUA_FACT_CIRCUMSTANCES, CUA_FACT_GPUS, CUA_FACT_MPS};
    struct cua_umd *one = later_major();

    (void)state;
    for (size_t i = 0; i < COUNT(order); i++) {
        facts.asked[order[i]] = false;
        asks(order[i]);
        facts.asked[order[i]] = true;
    }
    one->cuda = 12090;
    facts.asked[CUA_FACT_GPUS] = false;
    is_refused("of an earlier major");
    one->cuda = 13010;
    one->companions = false;
    is_refused("without its PTX compiler");
}

static void a_bundled_one_was_not_brought(void **state)
{
    struct cua_umd *one = later_major(), *bundled = umd(COMPAT, "590.48.01");

    (void)state;
    bundled->trusted = bundled->companions = true;
    assert_ptr_equal(cua_first_brought(&facts), one);
    one->cuda = 12090;
    assert_null(cua_first_brought(&facts));
}

static void each_condition_counts(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++) {
        struct cua_umd *one = later_major();
        answers(one, 0);
        switch (i) {
        case 0:
            facts.mps = true;
            break;
        case 1:
            facts.circumstances.mig = true;
            break;
        case 2:
            facts.circumstances.confidential = true;
            break;
        case 3:
            one->companions = false;
            break;
        case 4:
            one->trusted = false;
            break;
        case 5:
            note(one, 550, 580);
            break;
        case 6: /* what is only declared */
            one->note.present = one->note.has_branches = one->note.has_brands = false;
            one->note.branches = one->note.brands = 0;
            break;
        case 7:
            gpu("NVIDIA GeForce RTX 4090");
            break;
        case 8:
            gpu("Tesla V100-SXM2-16GB");
            break;
        case 9:
            one->loads = CUA_LOADS_NO;
            break;
        case 10:
            facts.gpus_none = true;
            break;
        default:
            facts.gpu_count = 0;
            break;
        }
        is_refused("a condition");
    }
}

static void platforms_of_their_own(void **state)
{
    static const enum cua_platform none[] = {CUA_PLATFORM_WSL, CUA_PLATFORM_TEGRA};

    (void)state;
    for (size_t i = 0; i < COUNT(none); i++) {
        answers(later_major(), 0);
        facts.kmd.platform = none[i];
        facts.asked[CUA_FACT_BROUGHT] = false;
        cua_rule(&verdict, &facts, &policy);
        assert_int_not_equal(verdict.next, CUA_FACT_BROUGHT);
        assert_int_not_equal(verdict.kind, CUA_KIND_BROUGHT);
    }
}

/* The lowest CUDA that is not earlier than the program's, its newest build; else the highest. */
static void which_of_several(void **state)
{
    struct cua_umd *two = later_major(), *three = brings("595.45.04");
    struct cua_umd *one = brings("580.65.06"), *build = brings("580.95.05");

    (void)state;
    tries(build);
    program(CUA_TOOLKIT_EXACT, 13010);
    tries(two);
    program(CUA_TOOLKIT_EXACT, 13020);
    tries(three);
    program(CUA_TOOLKIT_EXACT, 13040);
    tries(three);
    program(CUA_TOOLKIT_LEAST, 13000);
    facts.toolkit.image = 13010; /* the image's word for the same major */
    tries(two);
    facts.toolkit.image = 0;
    answers(build, 2);
    tries(one);
    answers(one, -1);
    tries(two);
    answers(two, 0);
    ruled(two, CUA_WORKS_YES, CUA_REASON_NEWER_BROUGHT);
    two->loads = CUA_LOADS_NO;
    tries(three);
    note(three, 550, 580);
    is_refused("none is left");
}

static void by_the_image_s_word(void **state)
{
    struct cua_umd *one = later_major();

    (void)state;
    program(CUA_TOOLKIT_HINT, 13000);
    tries(one);
    answers(one, 0);
    ruled(one, CUA_WORKS_YES, CUA_REASON_NEWER_BROUGHT);
    program(CUA_TOOLKIT_HINT, 12090);
    stays("within one major", CUA_REASON_NATIVE);
    policy.minor = CUA_MINOR_YES;
    stays("within one major, with CUARBITER_MINOR=yes", CUA_REASON_NATIVE);
}

/* Row 3: what the loader takes fails, and the host's does not serve. */
static void where_the_loaders_choice_fails(void **state)
{
    struct cua_umd *one = later_major(), *native = facts.umds;

    (void)state;
    loader(COMPAT, "530.30.02");
    program(CUA_TOOLKIT_HINT, 13000);
    answers(one, 0);
    ruled(one, CUA_WORKS_YES, CUA_REASON_NEWER_BROUGHT);
    program(CUA_TOOLKIT_HINT, 12000);
    ruled(native, CUA_WORKS_YES, CUA_REASON_NATIVE);
    program(CUA_TOOLKIT_NONE, 0);
    ruled(native, CUA_WORKS_YES, CUA_REASON_NATIVE);
    native->trusted = false; /* then by the kernel driver's own CUDA */
    facts.native = NULL;
    program(CUA_TOOLKIT_HINT, 13000);
    ruled(one, CUA_WORKS_YES, CUA_REASON_NEWER_BROUGHT);
    program(CUA_TOOLKIT_HINT, 12000);
    ruled(NULL, CUA_WORKS_NO, CUA_REASON_NO_NATIVE);
    facts.loader = NULL;
    cua_version_parse(&facts.kmd.version, "1.1.1"); /* its own CUDA is not known */
    note(one, 1, 580);
    program(CUA_TOOLKIT_HINT, 13000);
    cua_rule(&verdict, &facts, &policy);
    assert_int_not_equal(verdict.kind, CUA_KIND_BROUGHT);
}

/* A bundled one that nothing but a trial speaks for goes first. */
static void a_bundled_one_goes_first(void **state)
{
    struct cua_umd *one = later_major(), *bundled = umd(COMPAT, "580.82.07");

    (void)state;
    tries(bundled);
    answers(one, 0);
    tries(bundled);
    answers(bundled, 0);
    ruled(bundled, CUA_WORKS_YES, CUA_REASON_NEWER_TRIED);
    answers(bundled, 803);
    ruled(one, CUA_WORKS_YES, CUA_REASON_NEWER_BROUGHT);
    policy.kind = CUA_POLICY_COMPAT;
    ruled(bundled, CUA_WORKS_YES, CUA_REASON_POLICY_COMPAT);
    bundled->trusted = false;
    ruled(one, CUA_WORKS_YES, CUA_REASON_NEWER_BROUGHT);
    policy.kind = CUA_POLICY_NEWEST;
    ruled(one, CUA_WORKS_YES, CUA_REASON_NEWER_BROUGHT);
    program(CUA_TOOLKIT_LEAST, 12000);
    stays("newest, and the host's serves", CUA_REASON_NATIVE);
}

/* It replaces nothing in another rank, and shows no upgrade of the host's driver. */
static void it_is_no_other_candidate(void **state)
{
    struct cua_umd *one;

    (void)state;
    machine(KMD);
    gpu("NVIDIA A100-SXM4-80GB");
    one = brings(KMD);
    one->found |= CUA_FOUND_MOUNT;
    facts.native = NULL;
    answers(one, 0);
    ruled(NULL, CUA_WORKS_NO, CUA_REASON_NO_UMD);
    cua_version_parse(&one->version, "580.65.06");
    ruled(NULL, CUA_WORKS_NO, CUA_REASON_NO_UMD);
    policy.kind = CUA_POLICY_COMPAT;
    ruled(NULL, CUA_WORKS_NO, CUA_REASON_NO_UMD);
}

static void says(const struct cua_umd *one, enum cua_reason reason, const char *text)
{
    struct cua_detail detail;
    struct cua_words words;

    assert_string_equal(cua_reason_code(cua_judge(&detail, &facts, one)), cua_reason_code(reason));
    if (!strstr(detail.text, text))
        fail_msg("%s", detail.text);
    cua_rule(&verdict, &facts, &policy);
    cua_words(&words, &verdict, &facts);
    if (!strstr(words.explanation, "A driver that 'cuarbiter driver add' added is not used: ") ||
        !strstr(words.explanation, text))
        fail_msg("%s", words.explanation);
}

static void what_is_bundled_is_not_called_so(void **state)
{
    struct cua_words words;

    (void)state;
    later_major()->cuda = 12090;
    note(umd(COMPAT, "580.82.07"), 550, 580);
    is_refused("neither serves");
    cua_words(&words, &verdict, &facts);
    assert_null(strstr(words.explanation, "brought"));
}

static void each_refusal_has_a_sentence(void **state)
{
    struct cua_umd *one = later_major();

    (void)state;
    facts.circumstances.mig = true;
    says(one, CUA_REASON_BROUGHT_PART, "MIG");
    facts.circumstances = (struct cua_circumstances){.confidential = true};
    says(one, CUA_REASON_BROUGHT_PART, "confidential");
    facts.circumstances.confidential = false;
    one->note.present = one->note.has_branches = one->note.has_brands = false;
    one->note.branches = one->note.brands = 0;
    says(one, CUA_REASON_BROUGHT_UNPROVEN, "shows that it runs on kernel driver 535.261.03");
    note(one, 550, 580);
    says(one, CUA_REASON_NEWER_BRANCH, "does not run on kernel driver branch 535");
    note(one, 535, 580);
    answers(one, 803);
    says(one, CUA_REASON_TRIAL_FAILED, "answered 803");
    one->tried = CUA_TRIAL_NONE;
    ran(one, KMD, 0, false);
    says(one, CUA_REASON_BROUGHT_UNPROVEN,
         "'cuarbiter driver try' found that a CUDA kernel does not run with 590.48.01 on every GPU "
         "here");
    one->run_count = 0;
    facts.mps = true;
    facts.gpus_known = false;
    says(one, CUA_REASON_NEWER_MPS, "; not tried while an MPS daemon runs");
    facts.gpus_known = true;
    facts.mps = false;
    gpu("NVIDIA GeForce RTX 4090");
    facts.gpus[0] = facts.gpus[1];
    says(one, CUA_REASON_NEWER_BRAND, "does not support forward compatibility");
    gpu("Tesla V100-SXM2-16GB");
    facts.gpus[0] = facts.gpus[1] = facts.gpus[2];
    says(one, CUA_REASON_NEWER_CC, "supports compute capability 7.5 and later");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(it_is_taken_after_a_trial_that_answers_0, end_machine),
        cmocka_unit_test_teardown(what_was_tried_here_counts, end_machine),
        cmocka_unit_test_teardown(the_store_is_asked_for_last, end_machine),
        cmocka_unit_test_teardown(gpus_are_asked_for_where_one_would_serve, end_machine),
        cmocka_unit_test_teardown(a_bundled_one_was_not_brought, end_machine),
        cmocka_unit_test_teardown(each_condition_counts, end_machine),
        cmocka_unit_test_teardown(platforms_of_their_own, end_machine),
        cmocka_unit_test_teardown(which_of_several, end_machine),
        cmocka_unit_test_teardown(by_the_image_s_word, end_machine),
        cmocka_unit_test_teardown(where_the_loaders_choice_fails, end_machine),
        cmocka_unit_test_teardown(a_bundled_one_goes_first, end_machine),
        cmocka_unit_test_teardown(it_is_no_other_candidate, end_machine),
        cmocka_unit_test_teardown(what_is_bundled_is_not_called_so, end_machine),
        cmocka_unit_test_teardown(each_refusal_has_a_sentence, end_machine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
