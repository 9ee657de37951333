/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of one UMD: conditions that no machine of cases.tsv turns on, and which GPU is
 * named. tests/world/mutate drops them one by one. */
#include "verdict.h"

#define JETSON "540.4.0"

static struct cua_fate fate;

static const struct cua_fate *of(const struct cua_umd *umd)
{
    cua_fate(&fate, &facts, umd, false);
    return &fate;
}

static void is(const struct cua_umd *umd, enum cua_works works, enum cua_reason reason)
{
    assert_string_equal(cua_reason_code(of(umd)->reason), cua_reason_code(reason));
    assert_int_equal(fate.works, works);
}

/* One of compute capability 8.0. */
static struct cua_gpu *board(int brand)
{
    gpu("NVIDIA A100-SXM4-80GB");
    facts.gpus[facts.gpu_count - 1].brand = brand;
    return &facts.gpus[facts.gpu_count - 1];
}

static void a_note_without_a_list_leaves_it_to_the_tables(void **state)
{
    struct cua_umd *one;

    (void)state;
    machine(KMD);
    board(14);
    one = umd(COMPAT, "575.57.08");
    one->note.present = true; /* as Jetson's */
    is(one, CUA_WORKS_YES, CUA_REASON_NEWER_CERTAIN);
    note(one, 535, 575);
    one->note.has_brands = false;
    one->note.brands = 0;
    is(one, CUA_WORKS_YES, CUA_REASON_NEWER_CERTAIN);
    assert_int_equal(fate.grade, CUA_GRADE_DECLARED);
    note(one, 535, 575);
    is(one, CUA_WORKS_YES, CUA_REASON_NEWER_CERTAIN);
    assert_int_equal(fate.grade, CUA_GRADE_NOTE);
    one->note.brands = 2; /* it lists others; what the tables say of that brand is no matter */
    is(one, CUA_WORKS_UNKNOWN, CUA_REASON_NEWER_UNKNOWN_GPU);
}

static void its_note_and_reports_are_told_apart_from_what_is_built_in(void **state)
{
    struct cua_umd *one;

    (void)state;
    machine("410.78"); /* a report says that 450 answers 803 there */
    board(14);
    one = umd(COMPAT, "450.51.06");
    is(one, CUA_WORKS_NO, CUA_REASON_NEWER_BRANCH);
    facts.asked[CUA_FACT_TABLES] = false;
    is(one, CUA_WORKS_UNKNOWN, CUA_REASON_NEWER_UNKNOWN_GPU);
    assert_int_equal(fate.ask, CUA_FACT_TABLES);
    facts.asked[CUA_FACT_GPUS] = false;
    assert_int_equal(of(one)->ask, CUA_FACT_TABLES);
    note(one, 440, 450); /* its own word needs no table */
    is(one, CUA_WORKS_NO, CUA_REASON_NEWER_BRANCH);
}

static void a_brand_is_known_or_open(void **state)
{
    struct cua_umd *one;

    (void)state;
    machine(KMD);
    one = umd(COMPAT, "575.57.08");
    for (int i = 0; i < 3; i++) {
        static const int brands[] = {CUA_BRAND_UNKNOWN, 40, 1 + 32};
        facts.gpu_count = 0;
        board(brands[i]);
        is(one, CUA_WORKS_UNKNOWN, CUA_REASON_NEWER_UNKNOWN_GPU);
    }
    facts.gpu_count = 0;
    board(14)->cc = 0;
    is(one, CUA_WORKS_UNKNOWN, CUA_REASON_NEWER_UNKNOWN_GPU);
    facts.gpus_known = false;
    facts.gpu_count = 0;
    board(14);
    is(one, CUA_WORKS_UNKNOWN, CUA_REASON_NEWER_UNKNOWN_GPU);
}

static void reports_of_a_brand_come_before_what_is_declared(void **state)
{
    static const struct cua_row_measured runs[] = {{575, 535, 14, 80, CUA_RUN_804},
                                                   {650, 590, 14, 80, CUA_RUN_CONTEXT}};
    struct cua_data data = cua_data_builtin;
    struct cua_umd *one;

    (void)state;
    machine(KMD);
    board(14);
    one = umd(COMPAT, "575.57.08");
    data.measured = runs;
    data.measureds = 2;
    facts.data = &data;
    is(one, CUA_WORKS_NO, CUA_REASON_NEWER_BRAND);
    assert_int_equal(fate.code, 804);
    is(umd(COMPAT, "650.10.01"), CUA_WORKS_NO, CUA_REASON_NEWER_CC);
    note(one, 535, 575);
    is(one, CUA_WORKS_YES, CUA_REASON_NEWER_CERTAIN);
    facts.data = NULL;
}

static void the_gpu_that_speaks_against_it_is_named(void **state)
{
    struct cua_umd *one;

    (void)state;
    machine(KMD);
    one = umd(COMPAT, "575.57.08");
    board(CUA_BRAND_UNKNOWN);
    board(5);
    board(6);
    board(14);
    is(one, CUA_WORKS_UNKNOWN, CUA_REASON_NEWER_BRAND);
    assert_ptr_equal(fate.gpu, &facts.gpus[1]);
    facts.gpus[1].brand = facts.gpus[2].brand = CUA_BRAND_UNKNOWN;
    is(one, CUA_WORKS_UNKNOWN, CUA_REASON_NEWER_UNKNOWN_GPU);
    assert_ptr_equal(fate.gpu, &facts.gpus[0]);
    /* A branch that nobody knows says nothing of what it answers. */
    machine(KMD);
    board(5);
    one = umd(COMPAT, "650.10.01");
    is(one, CUA_WORKS_NO, CUA_REASON_NEWER_BRAND);
    assert_int_equal(fate.code, -1);
    facts.gpus[0].brand = 14;
    is(one, CUA_WORKS_UNKNOWN, CUA_REASON_NEWER_UNKNOWN_BRANCH);
    note(one, 535, 650); /* which capabilities it dropped is not known */
    is(one, CUA_WORKS_UNKNOWN, CUA_REASON_NEWER_UNKNOWN_BRANCH);
}

/* The weaker of two brands' evidence is the whole's. */
static void the_lowest_grade_counts(void **state)
{
    static const struct cua_row_measured runs[] = {{575, 535, 13, 80, CUA_RUN_RUNS}};
    struct cua_data data = cua_data_builtin;
    struct cua_umd *one;

    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        machine(KMD);
        board(turn ? 13 : 14);
        board(turn ? 14 : 13);
        note(one = umd(COMPAT, "575.57.08"), 535, 575);
        one->note.has_brands = false;
        one->note.brands = 0;
        data.measured = runs;
        data.measureds = 1;
        facts.data = &data;
        is(one, CUA_WORKS_YES, CUA_REASON_NEWER_CERTAIN);
        assert_int_equal(fate.grade, CUA_GRADE_DECLARED);
        facts.data = NULL;
    }
}

static void another_platform_s_driver(void **state)
{
    struct cua_umd *one, *native;

    (void)state;
    machine(KMD);
    one = umd(LIB, KMD); /* named as the kernel driver's, and Tegra's */
    one->tegra = true;
    is(one, CUA_WORKS_NO, CUA_REASON_TEGRA_FOREIGN);
    cua_version_parse(&one->version, "580.95.05");
    assert_false(cua_is_newer(&facts, one));

    machine(NULL); /* two versions that are not known are not the same */
    one = umd(LIB, "1.1");
    memset(&one->version, 0, sizeof(one->version));
    is(one, CUA_WORKS_UNKNOWN, CUA_REASON_KMD_MISSING);

    machine(NULL);
    facts.kmd.platform = CUA_PLATFORM_TEGRA;
    one = umd(COMPAT, "580.95.05");
    is(one, CUA_WORKS_UNKNOWN, CUA_REASON_TEGRA_FOREIGN); /* it may be a Thor */
    cua_version_parse(&facts.kmd.version, JETSON);
    is(one, CUA_WORKS_NO, CUA_REASON_TEGRA_FOREIGN);
    note(one, 540, 580);
    is(one, CUA_WORKS_NO, CUA_REASON_TEGRA_FOREIGN);
    assert_true(cua_is_newer(&facts, one));
    one->note.has_branches = false; /* a Jetson's note makes it one of Jetson's */
    is(one, CUA_WORKS_UNKNOWN, CUA_REASON_TEGRA_UNKNOWN);
    native = umd(LIB, "1.1");
    native->tegra = true;
    facts.native = native;
    native->cuda = 12060;
    one->cuda = 0;
    is(one, CUA_WORKS_UNKNOWN, CUA_REASON_TEGRA_UNKNOWN);
    one->cuda = 13000;
    is(one, CUA_WORKS_YES, CUA_REASON_NEWER_CERTAIN);
    facts.asked[CUA_FACT_TABLES] = false;
    assert_int_equal(of(one)->ask, CUA_FACT_TABLES);
    facts.asked[CUA_FACT_TABLES] = true;
    facts.asked[CUA_FACT_NATIVE] = false;
    assert_int_equal(of(one)->ask, CUA_FACT_NATIVE);
    one = umd(COMPAT, "1.1");
    one->tegra = true; /* in a compat folder, without a note */
    assert_false(cua_is_native(&facts, one));
    assert_true(cua_is_newer(&facts, one));
}

static void without_a_kernel_driver_all_is_open(void **state)
{
    (void)state;
    machine(KMD);
    facts.kmd.platform = CUA_PLATFORM_NONE;
    cua_fate(&fate, &facts, umd(COMPAT, "575.57.08"), false);
    assert_int_equal(fate.works, CUA_WORKS_UNKNOWN);
    assert_int_equal(fate.reason, CUA_REASON_NO_DRIVER);
}

static void a_hundred_needs_a_native_that_answers_zero(void **state)
{
    struct cua_umd *one, *native;

    (void)state;
    machine(KMD);
    one = umd(COMPAT, "575.57.08");
    answers(one, 100);
    facts.native = NULL;
    assert_false(cua_trial_fails(&facts, one));
    native = umd(LIB, KMD);
    assert_false(cua_trial_fails(&facts, one));
    answers(native, 100);
    assert_false(cua_trial_fails(&facts, one));
    native->tried = CUA_TRIAL_SILENT;
    native->trial_code = 0;
    assert_false(cua_trial_fails(&facts, one));
    answers(native, 0);
    assert_true(cua_trial_fails(&facts, one));
    one->trial_code = CUA_TRIAL_NOT_LOADED;
    assert_true(cua_trial_fails(&facts, one));
    one->tried = CUA_TRIAL_SILENT;
    assert_false(cua_trial_fails(&facts, one));
}

static int by_number(const struct cua_umd *a, const struct cua_umd *b)
{
    return a->key.ino < b->key.ino ? -1 : 1;
}

static int by_number_down(const struct cua_umd *a, const struct cua_umd *b)
{
    return by_number(b, a);
}

/* In whatever order they were found. */
static void native_is(const struct cua_umd *one)
{
    HASH_SORT(facts.umds, by_number);
    assert_ptr_equal(cua_find_native(&facts), one);
    HASH_SORT(facts.umds, by_number_down);
    assert_ptr_equal(cua_find_native(&facts), one);
}

static void which_file_is_native(void **state)
{
    struct cua_umd *last, *one;

    (void)state;
    machine(KMD);
    one = umd(LIB, KMD);
    one->state = CUA_UMD_STUB;
    assert_null(cua_find_native(&facts));
    one->state = CUA_UMD_USABLE;
    one->trusted = false;
    assert_null(cua_find_native(&facts));
    facts.loader = one; /* ld.so opens it */
    assert_ptr_equal(cua_find_native(&facts), one);
    one->version_doubtful = true;
    assert_null(cua_find_native(&facts));

    /* From the last to the first, whatever was found first. */
    for (int turn = 0; turn < 2; turn++) {
        machine(KMD);
        last = umd(turn ? "/b" : "/a", KMD);
        for (int i = 0; i < 5; i++) {
            one = umd(i == 4 ? turn ? "/c" : "/a" : turn ? "/a" : "/b", KMD);
            one->found = last->found = CUA_FOUND_LIBRARY_PATH;
            if (i == 0)
                last->found = CUA_FOUND_COMPAT | CUA_FOUND_MOUNT;
            else if (i == 1)
                one->found = CUA_FOUND_CACHE;
            else if (i == 2)
                one->found = CUA_FOUND_MOUNT, last->found = CUA_FOUND_DEFAULT;
            else if (i == 3)
                last->found = CUA_FOUND_MOUNT, facts.loader = one;
            else
                facts.loader = NULL;
            native_is(i == 4 && strcmp(last->path, one->path) < 0 ? last : one);
            last->state = CUA_UMD_STUB;
            last = one;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_note_without_a_list_leaves_it_to_the_tables),
        cmocka_unit_test(its_note_and_reports_are_told_apart_from_what_is_built_in),
        cmocka_unit_test(a_brand_is_known_or_open),
        cmocka_unit_test(reports_of_a_brand_come_before_what_is_declared),
        cmocka_unit_test(the_gpu_that_speaks_against_it_is_named),
        cmocka_unit_test(the_lowest_grade_counts),
        cmocka_unit_test(another_platform_s_driver),
        cmocka_unit_test(without_a_kernel_driver_all_is_open),
        cmocka_unit_test(a_hundred_needs_a_native_that_answers_zero),
        cmocka_unit_test(which_file_is_native),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    cua_facts_free(&facts);
    return failed;
}
