/* SPDX-License-Identifier: Apache-2.0 */
/* The five rows of the rules, each with what it asks for and every way it ends. */
#include "verdict.h"

static void row_1_leaves_what_is_no_business_of_ours(void **state)
{
    (void)state;
    machine(KMD);
    loader(LIB, KMD)->state = CUA_UMD_FOREIGN;
    ruled(NULL, CUA_WORKS_UNKNOWN, CUA_REASON_FOREIGN);
    machine(NULL);
    facts.kmd.platform = CUA_PLATFORM_NONE;
    loader(COMPAT, "575.57.08");
    ruled(NULL, CUA_WORKS_NO, CUA_REASON_NO_DRIVER);
    machine(KMD);
    policy.kind = CUA_POLICY_OFF;
    loader(LIB, "525.147.05");
    ruled(NULL, CUA_WORKS_UNKNOWN, CUA_REASON_POLICY_OFF);
}

static void row_2_keeps_what_works(void **state)
{
    struct cua_umd *one;

    (void)state;
    machine(KMD);
    gpu("NVIDIA A100-SXM4-80GB");
    one = loader(LIB, KMD);
    note(umd(COMPAT, "575.57.08"), 535, 575);
    ruled(one, CUA_WORKS_YES, CUA_REASON_NATIVE);
    /* pip's libcudart.so.12 is some 12.x, and the compat driver that works stays. */
    machine(KMD);
    gpu("NVIDIA A100-SXM4-80GB");
    umd(LIB, KMD);
    one = loader(COMPAT, "575.57.08");
    program(CUA_TOOLKIT_LEAST, 12000);
    ruled(one, CUA_WORKS_YES, CUA_REASON_KEPT);
    note(one, 535, 575);
    program(CUA_TOOLKIT_HINT, 12020);
    ruled(one, CUA_WORKS_YES, CUA_REASON_KEPT);
    one->companions = false;
    ruled(one, CUA_WORKS_YES, CUA_REASON_KEPT);
}

/* 535 with an A100, the native one the loader's choice, a compat of CUDA 13 with a note, and an
 * image of CUDA 13. */
static struct cua_umd *hinted(void)
{
    struct cua_umd *compat;

    machine(KMD);
    gpu("NVIDIA A100-SXM4-80GB");
    loader(LIB, KMD);
    compat = umd(COMPAT, "580.95.05");
    note(compat, 535, 580);
    program(CUA_TOOLKIT_HINT, 13000);
    return compat;
}

static void the_hint_replaces_native_under_every_condition_only(void **state)
{
    struct cua_umd *compat = hinted();

    (void)state;
    ruled(compat, CUA_WORKS_YES, CUA_REASON_NEWER_CERTAIN);
    for (int i = 0; i < 10; i++) {
        compat = hinted();
        policy.trial = CUA_TRIAL_NEVER;
        switch (i) {
        case 0: /* what the tables declare takes a trial */
            compat->note.present = false;
            break;
        case 1:
            compat->companions = false;
            break;
        case 2: /* a GPU that is hidden now */
            gpu("NVIDIA GeForce RTX 4090");
            facts.gpus[1].visible = false;
            break;
        case 3:
            facts.gpus_known = false;
            break;
        case 4:
            facts.mps = true;
            break;
        case 5:
            facts.bound = true;
            break;
        case 6: /* Julia has just decided for the native one */
            facts.by_name = false;
            break;
        case 7: /* the program's own runtime says more than the image */
            program(CUA_TOOLKIT_LEAST, 12000);
            break;
        case 8: /* above the data: what it dropped is not known */
            cua_version_parse(&compat->version, "900.10.01");
            break;
        default:
            compat->trusted = false;
        }
        cua_rule(&verdict, &facts, &policy);
        if (verdict.next != CUA_FACT_NOTHING || verdict.chosen != facts.loader)
            fail_msg("condition %d", i);
    }
    hinted();
    program(CUA_TOOLKIT_HINT, 12080); /* no later major */
    ruled(facts.loader, CUA_WORKS_YES, CUA_REASON_NATIVE);
}

/* Host 470 and an image of CUDA 12.8 with the 570 that NVIDIA declares for it; a guess is not
 * tried. */
static void the_hint_takes_what_is_declared_after_a_trial_that_answers_0(void **state)
{
    struct cua_umd *compat;

    (void)state;
    machine("470.256.02");
    gpu("NVIDIA A100-SXM4-80GB");
    loader(LIB, "470.256.02");
    compat = umd(COMPAT, "570.124.06");
    program(CUA_TOOLKIT_HINT, 12081);
    policy.trial = CUA_TRIAL_NEVER;
    ruled(facts.loader, CUA_WORKS_UNKNOWN, CUA_REASON_RUNTIME_TOO_NEW);
    assert_true(verdict.untried);
    policy.trial = CUA_TRIAL_AUTO;
    tries(compat);
    for (int code = -1; code < 804; code += code < 0 ? 1 : 803) {
        answers(compat, code);
        if (code)
            ruled(facts.loader, CUA_WORKS_UNKNOWN, CUA_REASON_RUNTIME_TOO_NEW);
        else
            ruled(compat, CUA_WORKS_YES, CUA_REASON_NEWER_TRIED);
    }
    answers(compat, 0);
    compat->found = CUA_FOUND_DEFAULT;
    ruled(facts.loader, CUA_WORKS_UNKNOWN, CUA_REASON_RUNTIME_TOO_NEW);
}

static void row_3_replaces_what_fails(void **state)
{
    struct cua_umd *native, *one;

    (void)state;
    machine(KMD);
    loader(LIB, "525.147.05"); /* 803, also within one branch */
    native = umd("/usr/local/nvidia/lib64", KMD);
    ruled(native, CUA_WORKS_YES, CUA_REASON_NATIVE);
    machine(KMD);
    loader(LIB, "535.183.01");
    native = umd("/usr/local/nvidia/lib64", KMD);
    ruled(native, CUA_WORKS_YES, CUA_REASON_NATIVE);
    machine(KMD);
    gpu("NVIDIA GeForce RTX 4090"); /* 804 */
    loader(COMPAT, "550.163.01");
    native = umd(LIB, KMD);
    ruled(native, CUA_WORKS_YES, CUA_REASON_NATIVE);
    machine("580.95.05");
    gpu("Tesla V100-SXM2-16GB"); /* 590 dropped it: initialises, and fails then */
    loader(COMPAT, "590.48.01");
    native = umd(LIB, "580.95.05");
    ruled(native, CUA_WORKS_YES, CUA_REASON_NATIVE);
    machine(KMD);
    gpu("NVIDIA A100-SXM4-80GB");
    note(loader(COMPAT, "575.57.08"), 550, 575); /* its own list lacks 535 */
    native = umd(LIB, KMD);
    ruled(native, CUA_WORKS_YES, CUA_REASON_NATIVE);
    machine(KMD); /* there is none */
    native = umd("/usr/local/nvidia/lib64", KMD);
    ruled(native, CUA_WORKS_YES, CUA_REASON_NATIVE);
    /* No native: a newer one that is declared to work will do. */
    machine(KMD);
    gpu("NVIDIA A100-SXM4-80GB");
    loader(LIB, "525.147.05")->state = CUA_UMD_STUB;
    one = umd(COMPAT, "550.163.01");
    ruled(one, CUA_WORKS_YES, CUA_REASON_NEWER_CERTAIN);
    facts.mps = true;
    ruled(NULL, CUA_WORKS_NO, CUA_REASON_NO_NATIVE);
}

static void row_3_without_anything_that_works(void **state)
{
    (void)state;
    machine(KMD);
    ruled(NULL, CUA_WORKS_NO, CUA_REASON_NO_UMD);
    loader(LIB, "525.147.05");
    ruled(NULL, CUA_WORKS_NO, CUA_REASON_NO_NATIVE);
    machine("535.183.01");
    gpu("NVIDIA GeForce RTX 4090");
    loader(LIB, KMD)->found |= CUA_FOUND_MOUNT;
    ruled(NULL, CUA_WORKS_NO, CUA_REASON_MODULE_STALE);
    machine(KMD); /* one above the data, which may not be tried */
    policy.trial = CUA_TRIAL_NEVER;
    gpu("NVIDIA A100-SXM4-80GB");
    loader(LIB, "525.147.05");
    umd(COMPAT, "900.10.01");
    ruled(NULL, CUA_WORKS_UNKNOWN, CUA_REASON_UNDECIDED);
}

static void row_3_looks_past_a_native_that_does_not_serve(void **state)
{
    struct cua_umd *native, *one;

    (void)state;
    machine(KMD);
    gpu("NVIDIA A100-SXM4-80GB");
    loader(LIB, "525.147.05");
    native = umd("/usr/local/nvidia/lib64", KMD);
    one = umd(COMPAT, "580.95.05");
    program(CUA_TOOLKIT_HINT, 13000);
    ruled(one, CUA_WORKS_YES, CUA_REASON_NEWER_CERTAIN);
    /* An ordinary driver: only a trial shows, and before it native is not looked at. */
    one->found = CUA_FOUND_DEFAULT;
    native->loads = CUA_LOADS_UNASKED;
    tries(one);
    answers(one, 0);
    ruled(one, CUA_WORKS_YES, CUA_REASON_NEWER_TRIED);
    native->loads = CUA_LOADS_YES;
    answers(one, 803);
    ruled(native, CUA_WORKS_UNKNOWN, CUA_REASON_RUNTIME_TOO_NEW);
    program(CUA_TOOLKIT_EXACT, 13000);
    ruled(native, CUA_WORKS_NO, CUA_REASON_RUNTIME_TOO_NEW);
}

static void row_4_gives_what_surely_serves(void **state)
{
    struct cua_umd *native, *one;

    (void)state;
    one = hinted();
    native = (struct cua_umd *)facts.native;
    program(CUA_TOOLKIT_LEAST, 13000);
    ruled(one, CUA_WORKS_YES, CUA_REASON_NEWER_CERTAIN);
    one->note.present = false; /* declared: it has to be tried */
    tries(one);
    answers(one, 0);
    ruled(one, CUA_WORKS_YES, CUA_REASON_NEWER_TRIED);
    answers(one, 804);
    ruled(native, CUA_WORKS_NO, CUA_REASON_RUNTIME_TOO_NEW);
    one->tried = CUA_TRIAL_NONE;
    policy.trial = CUA_TRIAL_NEVER;
    ruled(native, CUA_WORKS_NO, CUA_REASON_RUNTIME_TOO_NEW);
    assert_true(verdict.untried);
    /* Before 11 there was no minor version compatibility. */
    machine("410.129");
    gpu("Tesla V100-SXM2-16GB");
    native = loader(LIB, "410.129");
    one = umd(COMPAT, "418.226.00");
    note(one, 410, 418);
    program(CUA_TOOLKIT_EXACT, 10010);
    ruled(one, CUA_WORKS_YES, CUA_REASON_NEWER_CERTAIN);
    program(CUA_TOOLKIT_LEAST, 10000);
    ruled(native, CUA_WORKS_YES, CUA_REASON_NATIVE);
}

static void row_5_tries_what_is_open(void **state)
{
    struct cua_umd *native, *one;

    (void)state;
    machine(KMD);
    gpu("NVIDIA A100-SXM4-80GB");
    native = umd(LIB, KMD);
    one = loader("/apps/CUDAcompat/lib", "570.86.15"); /* a folder that nobody knows */
    tries(one);
    answers(one, 0);
    ruled(one, CUA_WORKS_YES, CUA_REASON_KEPT_TRIED);
    answers(one, 803);
    ruled(native, CUA_WORKS_YES, CUA_REASON_NATIVE);
    answers(one, 34);
    ruled(native, CUA_WORKS_YES, CUA_REASON_NATIVE);
    static const int nothing[] = {2, 46, 100, 802, 805, 999, -1};
    for (size_t i = 0; i < COUNT(nothing); i++) {
        answers(one, nothing[i]);
        ruled(one, CUA_WORKS_UNKNOWN, CUA_REASON_UNDECIDED);
    }
    answers(one, 100); /* against it only where native counts a GPU in the same run */
    answers(native, 0);
    ruled(native, CUA_WORKS_YES, CUA_REASON_NATIVE);
    one->tried = CUA_TRIAL_NONE;
    facts.mps = true;
    ruled(one, CUA_WORKS_UNKNOWN, CUA_REASON_UNDECIDED);
    machine(KMD); /* nothing else could be taken: it is not tried */
    one = loader("/apps/CUDAcompat/lib", "570.86.15");
    ruled(one, CUA_WORKS_UNKNOWN, CUA_REASON_UNDECIDED);
    assert_false(verdict.untried);
    machine(NULL);
    one = loader(LIB, "575.57.08");
    ruled(one, CUA_WORKS_UNKNOWN, CUA_REASON_KMD_UNKNOWN);
}

/* Native would answer 35 for sure, and a trial's answer is temporary: CUDA_VISIBLE_DEVICES may
 * yet change. */
static void a_trial_alone_never_leads_to_a_sure_35(void **state)
{
    struct cua_umd *one;

    (void)state;
    machine(KMD);
    gpu("NVIDIA GeForce RTX 4090");
    gpu("NVIDIA L20");
    umd(LIB, KMD);
    one = loader(COMPAT, "580.95.05");
    tries(one);
    answers(one, 804);
    ruled(facts.native, CUA_WORKS_YES, CUA_REASON_NATIVE);
    program(CUA_TOOLKIT_EXACT, 13000);
    ruled(one, CUA_WORKS_NO, CUA_REASON_TRIAL_FAILED);
}

static void a_doubtful_name_keeps_and_never_replaces(void **state)
{
    struct cua_umd *one;

    (void)state;
    machine(KMD);
    one = loader(LIB, KMD);
    one->version_doubtful = true;
    ruled(one, CUA_WORKS_YES, CUA_REASON_NATIVE);
    machine(KMD);
    one = umd(LIB, KMD);
    one->version_doubtful = true;
    facts.native = cua_find_native(&facts);
    assert_null(facts.native);
    one = loader("/opt", "525.147.05");
    one->version_doubtful = true;
    tries(one);
}

/* Every driver that does not load is named with its whole obstacle, however long. */
static void explains_whole(void)
{
    struct cua_words words;
    unsigned named = 0;

    for (struct cua_umd *one = facts.umds; one; one = one->hh.next)
        if (one->loads == CUA_LOADS_NO) {
            memset(one->obstacle, 'x', sizeof(one->obstacle) - 1);
            memcpy(one->obstacle + sizeof(one->obstacle) - 9, " the end", 8);
            named++;
        }
    cua_rule(&verdict, &facts, &policy);
    cua_words(&words, &verdict, &facts);
    for (const char *at = words.explanation; (at = strstr(at, "x the end.")); at++)
        named--;
    if (named)
        fail_msg("%u are not explained: %s", named, words.explanation);
}

/* Mount, libraries and functions: asked for one file at a time, and only of what is not the
 * loader's choice. */
static void what_does_not_load_is_passed_over(void **state)
{
    struct cua_umd *native, *wrong, *newer;

    (void)state;
    machine(KMD);
    gpu("NVIDIA GeForce RTX 4090");
    native = umd(LIB, KMD);
    wrong = loader(COMPAT, "575.57.08");
    native->loads = CUA_LOADS_UNASKED;
    wrong->loads = CUA_LOADS_UNASKED;
    asks(CUA_FACT_LOADS);
    assert_memory_equal(&verdict.trial[0], &native->key, sizeof(native->key));
    facts.loader = native;
    ruled(native, CUA_WORKS_YES, CUA_REASON_NATIVE);
    facts.loader = wrong;
    native->loads = CUA_LOADS_NO;
    strcpy(native->obstacle, "lacks cuNew");
    ruled(NULL, CUA_WORKS_NO, CUA_REASON_NOT_LOADABLE);
    /* Who says which one gets it. */
    policy.kind = CUA_POLICY_HOST;
    ruled(native, CUA_WORKS_YES, CUA_REASON_POLICY_HOST);
    policy.kind = CUA_POLICY_COMPAT;
    wrong->loads = CUA_LOADS_NO;
    ruled(wrong, CUA_WORKS_NO, CUA_REASON_POLICY_COMPAT);
    /* The next of the row: one that works, one that a trial finds. */
    machine(KMD);
    gpu("NVIDIA A100-SXM4-80GB");
    umd(LIB, KMD)->loads = CUA_LOADS_NO;
    newer = umd(COMPAT, "575.57.08");
    note(newer, 535, 575);
    loader(LIB, "525.147.05");
    ruled(newer, CUA_WORKS_YES, CUA_REASON_NEWER_CERTAIN);
    newer->note = (struct cua_note){.present = false};
    newer->found = CUA_FOUND_DEFAULT;
    policy.trial = CUA_TRIAL_AUTO;
    tries(newer);
    answers(newer, 0);
    ruled(newer, CUA_WORKS_YES, CUA_REASON_NEWER_TRIED);
    newer->loads = CUA_LOADS_NO;
    ruled(NULL, CUA_WORKS_NO, CUA_REASON_NOT_LOADABLE);
    /* One that is left open may still be the cure. */
    answers(umd("/opt", "570.10.01"), -1);
    ruled(NULL, CUA_WORKS_UNKNOWN, CUA_REASON_NOT_LOADABLE);
    explains_whole();
    /* The exception of row 2 and row 4: what is there stays. */
    hinted()->loads = CUA_LOADS_NO;
    ruled(facts.loader, CUA_WORKS_UNKNOWN, CUA_REASON_RUNTIME_TOO_NEW);
    program(CUA_TOOLKIT_EXACT, 13000);
    ruled(facts.loader, CUA_WORKS_NO, CUA_REASON_RUNTIME_TOO_NEW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(row_1_leaves_what_is_no_business_of_ours),
        cmocka_unit_test(row_2_keeps_what_works),
        cmocka_unit_test(the_hint_replaces_native_under_every_condition_only),
        cmocka_unit_test(the_hint_takes_what_is_declared_after_a_trial_that_answers_0),
        cmocka_unit_test(row_3_replaces_what_fails),
        cmocka_unit_test(row_3_without_anything_that_works),
        cmocka_unit_test(row_3_looks_past_a_native_that_does_not_serve),
        cmocka_unit_test(row_4_gives_what_surely_serves),
        cmocka_unit_test(row_5_tries_what_is_open),
        cmocka_unit_test(a_trial_alone_never_leads_to_a_sure_35),
        cmocka_unit_test(a_doubtful_name_keeps_and_never_replaces),
        cmocka_unit_test(what_does_not_load_is_passed_over),
    };

    return cmocka_run_group_tests(tests, NULL, end_machine);
}
