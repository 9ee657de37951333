/* SPDX-License-Identifier: Apache-2.0 */
/* Which of two replacements comes first: each criterion against all that come after it, in whatever
 * order they were found. */
#include "verdict.h"

static void fresh(void)
{
    machine(KMD);
    gpu("NVIDIA A100-SXM4-80GB");
    facts.toolkit = (struct cua_toolkit){.kind = CUA_TOOLKIT_EXACT, .cuda = 13000};
}

static void first(const struct cua_umd *one)
{
    for (int turn = 0; turn < 2; turn++) {
        struct cua_umd *moved = facts.umds;
        assert_int_equal(HASH_COUNT(facts.umds), 2);
        ruled(one, CUA_WORKS_YES, CUA_REASON_NEWER_CERTAIN);
        HASH_DEL(facts.umds, moved);
        HASH_ADD(hh, facts.umds, key, sizeof(moved->key), moved);
    }
}

static void what_serves_the_program(void **state)
{
    struct cua_umd *one, *other;

    (void)state;
    fresh();
    one = umd(COMPAT, "580.95.05");
    other = umd(LIB, "575.57.08");
    note(other, 535, 575);
    one->companions = false;
    other->cuda = 0; /* unknown */
    first(one);
    facts.toolkit.kind = CUA_TOOLKIT_HINT;
    first(one);
}

static void then_the_better_evidence(void **state)
{
    struct cua_umd *one;

    (void)state;
    fresh();
    one = umd(LIB, "580.95.05");
    umd(COMPAT, "590.48.01");
    note(one, 535, 580);
    one->companions = false;
    first(one);
    facts.mps = true; /* a newer one replaces nothing then */
    ruled(NULL, CUA_WORKS_NO, CUA_REASON_NO_NATIVE);
}

static void then_companions(void **state)
{
    struct cua_umd *one, *other;

    (void)state;
    fresh();
    one = umd(COMPAT, "580.82.07");
    other = umd(COMPAT, "590.48.01");
    other->companions = false;
    first(one);
}

static void then_cuda_version_and_path(void **state)
{
    struct cua_umd *one, *other;

    (void)state;
    fresh();
    one = umd(COMPAT, "580.82.07");
    other = umd(COMPAT, "580.95.05");
    first(other);
    one->cuda = 13010;
    first(one);
    one->cuda = other->cuda;
    other->version = one->version;
    free(one->path);
    one->path = strdup("/a");
    first(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_serves_the_program),
        cmocka_unit_test(then_the_better_evidence),
        cmocka_unit_test(then_companions),
        cmocka_unit_test(then_cuda_version_and_path),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    cua_facts_free(&facts);
    return failed;
}
