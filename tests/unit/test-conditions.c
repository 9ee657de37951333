/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of the rules that no machine of cases.tsv and no modelled world turns on: what is
 * asked for nothing, what is tried for nothing, and the words where nothing works.
 * tests/world/mutate drops them one by one. */
#include "verdict.h"

#define OLDER "525.147.05"
#define WHERE "/somewhere"

static struct cua_umd *ordinary(const char *version)
{
    struct cua_umd *one = umd(WHERE, version);

    one->found = CUA_FOUND_LIBRARY_PATH;
    return one;
}

static struct cua_umd *unversioned(void)
{
    struct cua_umd *one = ordinary("550.54.15");

    memset(&one->version, 0, sizeof(one->version));
    one->cuda = 0;
    return one;
}

static void start(void)
{
    machine(KMD);
    gpu("NVIDIA A100-SXM4-80GB");
}

/* The loader's choice fails, and native does not serve. */
static struct cua_umd *start_failing(enum cua_toolkit_kind kind, unsigned cuda)
{
    start();
    program(kind, cuda);
    loader(COMPAT, OLDER);
    return umd(LIB, KMD);
}

static void nothing_is_asked_that_nothing_hangs_on(void **state)
{
    struct cua_umd *native;

    (void)state;
    native = start_failing(CUA_TOOLKIT_NONE, 0);
    facts.asked[CUA_FACT_TABLES] = false;
    ruled(native, CUA_WORKS_YES, CUA_REASON_NATIVE);
    policy.kind = CUA_POLICY_HOST;
    ruled(native, CUA_WORKS_YES, CUA_REASON_POLICY_HOST);

    native = start_failing(CUA_TOOLKIT_EXACT, 13000);
    umd(COMPAT, "580.95.05")->trusted = false; /* must not be taken */
    facts.asked[CUA_FACT_GPUS] = false;
    policy.trial = CUA_TRIAL_NEVER;
    ruled(native, CUA_WORKS_NO, CUA_REASON_RUNTIME_TOO_NEW);
    assert_false(verdict.untried);

    start();
    native = loader(LIB, KMD);
    facts.asked[CUA_FACT_TABLES] = false;
    ruled(native, CUA_WORKS_YES, CUA_REASON_NATIVE);
    machine("540.4.0");
    facts.kmd.platform = CUA_PLATFORM_TEGRA;
    program(CUA_TOOLKIT_HINT, 13000);
    native = loader(LIB, "1.1");
    native->tegra = true;
    native->cuda = 12060;
    facts.native = native;
    facts.asked[CUA_FACT_UMDS] = false;
    cua_rule(&verdict, &facts, &policy);
    assert_int_equal(verdict.next, CUA_FACT_NOTHING);
}

static void an_open_choice_asks_for_as_little(void **state)
{
    struct cua_umd *one;

    (void)state;
    start();
    one = loader(WHERE, "575.57.08"); /* open: in no compat folder, without a note */
    umd(LIB, KMD);
    facts.asked[CUA_FACT_UMDS] = false;
    tries(one);
    facts.gpus_none = true;
    ruled(one, CUA_WORKS_UNKNOWN, CUA_REASON_UNDECIDED);
    assert_true(verdict.untried);
    facts.gpus_none = false;
    policy.trial = CUA_TRIAL_NEVER;
    facts.asked[CUA_FACT_MPS] = false;
    ruled(one, CUA_WORKS_UNKNOWN, CUA_REASON_UNDECIDED);

    start();
    one = loader(WHERE, "575.57.08");
    umd(COMPAT, OLDER); /* fails, whatever the trial brings: nothing else could be taken */
    facts.asked[CUA_FACT_MPS] = false;
    ruled(one, CUA_WORKS_UNKNOWN, CUA_REASON_UNDECIDED);
    policy.trial = CUA_TRIAL_NEVER;
    ruled(one, CUA_WORKS_UNKNOWN, CUA_REASON_UNDECIDED);
    assert_false(verdict.untried);
}

/* They are part of the key under which an answer is kept, even where no kernel driver's version
 * makes the tables worth asking. */
static void the_gpus_are_asked_before_a_trial(void **state)
{
    struct cua_umd *one;

    (void)state;
    machine(NULL);
    gpu("NVIDIA A100-SXM4-80GB");
    one = loader(LIB, "550.54.15");
    umd(COMPAT, "580.95.05");
    facts.asked[CUA_FACT_GPUS] = false;
    asks(CUA_FACT_GPUS);
    facts.asked[CUA_FACT_GPUS] = true;
    tries(one);
}

static void only_what_can_be_taken_is_tried(void **state)
{
    struct cua_umd *one, *other;

    (void)state;
    start();
    loader(COMPAT, OLDER);
    ordinary("575.57.08")->state = CUA_UMD_UNREADABLE;
    ordinary("580.95.05")->state = CUA_UMD_FOREIGN;
    ruled(NULL, CUA_WORKS_NO, CUA_REASON_NO_NATIVE);

    start();
    loader(COMPAT, OLDER);
    unversioned();
    policy.trial = CUA_TRIAL_NEVER;
    facts.asked[CUA_FACT_MPS] = false;
    ruled(NULL, CUA_WORKS_UNKNOWN, CUA_REASON_UNDECIDED);
    policy.trial = CUA_TRIAL_AUTO;
    asks(CUA_FACT_MPS);
    facts.asked[CUA_FACT_MPS] = facts.mps = true;
    ruled(NULL, CUA_WORKS_UNKNOWN, CUA_REASON_UNDECIDED);
    assert_true(verdict.untried);

    /* The image speaks of a CUDA that neither has. */
    one = start_failing(CUA_TOOLKIT_HINT, 14000);
    ordinary("580.95.05");
    ruled(one, CUA_WORKS_UNKNOWN, CUA_REASON_RUNTIME_TOO_NEW);

    /* The best that answers, and silence is no answer. */
    start_failing(CUA_TOOLKIT_EXACT, 13000);
    one = ordinary("580.95.05");
    other = ordinary("590.48.01");
    answers(one, 0);
    answers(other, 0);
    ruled(other, CUA_WORKS_YES, CUA_REASON_NEWER_TRIED);
    other->tried = CUA_TRIAL_SILENT;
    ruled(one, CUA_WORKS_YES, CUA_REASON_NEWER_TRIED);
}

static void the_best_few_are_tried(void **state)
{
    static const char *const versions[] = {"580.65.06", "580.82.07", "580.95.05",
                                           "590.44.01", "590.48.01", "595.45.04"};
    struct cua_umd *all[COUNT(versions)];

    (void)state;
    for (unsigned turn = 0; turn < 2; turn++) {
        start_failing(CUA_TOOLKIT_EXACT, 13000);
        for (unsigned i = 0; i < COUNT(versions); i++)
            all[turn ? 5 - i : i] = ordinary(versions[turn ? 5 - i : i]);
        tries(all[5]);
        assert_int_equal(verdict.trials, CUA_TRIALS_MOST);
        for (unsigned i = 0; i < CUA_TRIALS_MOST; i++)
            assert_memory_equal(&verdict.trial[i], &all[5 - i]->key, sizeof(verdict.trial[i]));
    }
}

static void a_hint_takes_what_serves_it(void **state)
{
    struct cua_umd *native, *one;

    (void)state;
    start();
    native = loader(LIB, KMD);
    note(one = umd(COMPAT, "580.95.05"), 535, 580);
    program(CUA_TOOLKIT_HINT, 14000);
    ruled(native, CUA_WORKS_UNKNOWN, CUA_REASON_RUNTIME_TOO_NEW);
    program(CUA_TOOLKIT_HINT, 13000);
    ruled(one, CUA_WORKS_YES, CUA_REASON_NEWER_CERTAIN);
}

/* Without native, rather a driver that works and does not serve than one that fails. */
static void what_works_is_better_than_nothing(void **state)
{
    struct cua_umd *one;

    (void)state;
    start();
    program(CUA_TOOLKIT_EXACT, 14000);
    loader(COMPAT, OLDER);
    note(one = umd(COMPAT, "580.95.05"), 535, 580);
    ruled(one, CUA_WORKS_NO, CUA_REASON_RUNTIME_TOO_NEW);
    one = umd(LIB, KMD); /* and rather the host's than another that does not serve either */
    ruled(one, CUA_WORKS_NO, CUA_REASON_RUNTIME_TOO_NEW);
    facts.native = NULL;
    HASH_DEL(facts.umds, one);
    free(one->path);
    free(one->real);
    free(one);
    one = facts.umds->hh.next;
    /* By policy too, and what fails stays failing whatever the image says. */
    program(CUA_TOOLKIT_HINT, 14000);
    facts.gpu_count = 0;
    gpu("NVIDIA GeForce RTX 4090");
    policy.kind = CUA_POLICY_COMPAT;
    ruled(one, CUA_WORKS_NO, CUA_REASON_POLICY_COMPAT);
}

static void on_tegra_native_may_serve_more(void **state)
{
    struct cua_umd *native, *one;

    (void)state;
    machine("540.4.0");
    facts.kmd.platform = CUA_PLATFORM_TEGRA;
    native = umd(LIB, "1.1");
    native->tegra = true;
    native->cuda = 12060;
    one = loader(COMPAT, "1.1");
    one->tegra = one->note.present = true;
    one->cuda = 11040;
    facts.native = native;
    program(CUA_TOOLKIT_EXACT, 12000);
    ruled(native, CUA_WORKS_YES, CUA_REASON_NATIVE);
    facts.mps = true; /* its own server's driver */
    ruled(native, CUA_WORKS_YES, CUA_REASON_NATIVE);
}

static void a_stale_module_has_its_own_word(void **state)
{
    struct cua_umd *one;

    (void)state;
    machine(KMD);
    gpu("NVIDIA GeForce RTX 4090");
    one = umd(LIB, "535.274.02");
    ruled(NULL, CUA_WORKS_NO, CUA_REASON_MODULE_STALE);
    one->found = CUA_FOUND_LIBRARY_PATH;
    ruled(NULL, CUA_WORKS_NO, CUA_REASON_NO_NATIVE);
    one->found = CUA_FOUND_COMPAT | CUA_FOUND_MOUNT;
    ruled(NULL, CUA_WORKS_NO, CUA_REASON_NO_NATIVE);
    umd(LIB, OLDER)->found = CUA_FOUND_MOUNT;
    ruled(NULL, CUA_WORKS_NO, CUA_REASON_NO_NATIVE);
    umd(LIB, "550.54.15");
    ruled(NULL, CUA_WORKS_NO, CUA_REASON_NO_NATIVE);

    start();
    umd(LIB, "535.274.02");
    policy.trial = CUA_TRIAL_NEVER;
    ruled(NULL, CUA_WORKS_UNKNOWN, CUA_REASON_MODULE_STALE);
}

static void what_is_no_driver_of_ours_is_none(void **state)
{
    (void)state;
    start();
    loader(LIB, OLDER)->state = CUA_UMD_STUB;
    ruled(NULL, CUA_WORKS_NO, CUA_REASON_NO_UMD);
    start();
    umd(COMPAT, OLDER)->trusted = false;
    ruled(NULL, CUA_WORKS_NO, CUA_REASON_NO_UMD);
    start();
    loader(COMPAT, OLDER)->trusted = false;
    ruled(NULL, CUA_WORKS_NO, CUA_REASON_NO_NATIVE);
    ordinary("580.95.05")->trusted = false;
    ruled(NULL, CUA_WORKS_NO, CUA_REASON_NO_NATIVE);
    machine(NULL);
    facts.kmd.platform = CUA_PLATFORM_WSL;
    loader(COMPAT, OLDER);
    ruled(NULL, CUA_WORKS_NO, CUA_REASON_NO_NATIVE);
}

static void policy_compat_takes_the_newest_that_may_be_taken(void **state)
{
    struct cua_umd *one, *other;

    (void)state;
    start();
    policy.kind = CUA_POLICY_COMPAT;
    one = loader(COMPAT, "580.95.05");
    facts.asked[CUA_FACT_NATIVE] = false;
    ruled(one, CUA_WORKS_YES, CUA_REASON_POLICY_COMPAT);
    one->version_doubtful = true; /* made sure of first */
    other = umd(COMPAT, "580.65.06");
    asks(CUA_FACT_NATIVE);
    one->version_doubtful = one->trusted = false; /* ld.so would open it */
    umd(COMPAT, "590.48.01")->version_doubtful = true;
    umd(COMPAT, "595.45.04")->state = CUA_UMD_STUB;
    ruled(one, CUA_WORKS_YES, CUA_REASON_POLICY_COMPAT);
    facts.loader = NULL;
    ruled(other, CUA_WORKS_YES, CUA_REASON_POLICY_COMPAT);
    one = umd(COMPAT, "580.82.07"); /* of the same CUDA, and later by path */
    ruled(one, CUA_WORKS_YES, CUA_REASON_POLICY_COMPAT);

    machine("540.4.0");
    facts.kmd.platform = CUA_PLATFORM_TEGRA;
    policy.kind = CUA_POLICY_COMPAT;
    for (unsigned i = 0; i < 2; i++) {
        one = umd(COMPAT, "1.1");
        one->tegra = one->note.present = true;
        one->cuda = i ? 13000 : 12060;
    }
    cua_rule(&verdict, &facts, &policy);
    assert_ptr_equal(verdict.chosen, one);
}

static void a_named_file_comes_before_all(void **state)
{
    static const enum cua_umd_state none[] = {CUA_UMD_DAMAGED, CUA_UMD_ARCH, CUA_UMD_UNREADABLE};
    struct cua_umd *native, *one;

    (void)state;
    start();
    strcpy(policy.libcuda, "/named");
    native = loader(LIB, KMD);
    one = umd("/a", "575.57.08");
    umd("/b", "575.57.08");
    one->found = CUA_FOUND_NAMED;
    ruled(one, CUA_WORKS_UNKNOWN, CUA_REASON_POLICY_FILE);
    for (unsigned i = 0; i < COUNT(none); i++) {
        one->state = none[i];
        ruled(native, CUA_WORKS_YES, CUA_REASON_NATIVE);
    }
    one->found = CUA_FOUND_DEFAULT; /* not found */
    ruled(native, CUA_WORKS_YES, CUA_REASON_NATIVE);
    one->found = CUA_FOUND_NAMED;
    one->state = CUA_UMD_USABLE;
    policy.libcuda[0] = '\0'; /* where none is named, the bit says nothing */
    ruled(native, CUA_WORKS_YES, CUA_REASON_NATIVE);
    strcpy(policy.libcuda, "/named");
    note(one, 535, 575);
    facts.asked[CUA_FACT_GPUS] = false;
    asks(CUA_FACT_GPUS);
    facts.asked[CUA_FACT_GPUS] = true;
    facts.asked[CUA_FACT_TOOLKIT] = false;
    asks(CUA_FACT_TOOLKIT);
    one->version = facts.kmd.version; /* native: tables tell it nothing without a program */
    facts.asked[CUA_FACT_TOOLKIT] = true;
    facts.asked[CUA_FACT_TABLES] = false;
    ruled(one, CUA_WORKS_YES, CUA_REASON_POLICY_FILE);
    program(CUA_TOOLKIT_HINT, 13000);
    asks(CUA_FACT_TABLES);
    policy.disabled = true;
    ruled(NULL, CUA_WORKS_UNKNOWN, CUA_REASON_POLICY_OFF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_asked_that_nothing_hangs_on),
        cmocka_unit_test(an_open_choice_asks_for_as_little),
        cmocka_unit_test(the_gpus_are_asked_before_a_trial),
        cmocka_unit_test(only_what_can_be_taken_is_tried),
        cmocka_unit_test(the_best_few_are_tried),
        cmocka_unit_test(a_hint_takes_what_serves_it),
        cmocka_unit_test(what_works_is_better_than_nothing),
        cmocka_unit_test(on_tegra_native_may_serve_more),
        cmocka_unit_test(a_stale_module_has_its_own_word),
        cmocka_unit_test(what_is_no_driver_of_ours_is_none),
        cmocka_unit_test(policy_compat_takes_the_newest_that_may_be_taken),
        cmocka_unit_test(a_named_file_comes_before_all),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    cua_facts_free(&facts);
    return failed;
}
