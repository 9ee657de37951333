/* SPDX-License-Identifier: Apache-2.0 */
/* Every row of cases.tsv gets its verdict, whatever ld.so would take and in whatever order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "row.h"
#include "rules/rules.h"
#include "unit.h"
#include "base/policy.h"
#include "base/reasons.h"
#include "facts/facts.h"

static const char *kind_name(enum cua_kind kind)
{
    static const char *const names[] = {"none", "native", "compat", "other"};

    return names[kind];
}

static const char *works_name(enum cua_works works)
{
    static const char *const names[] = {"unknown", "yes", "no"};

    return names[works];
}

static int by_path_down(const struct cua_umd *a, const struct cua_umd *b)
{
    return strcmp(b->path, a->path);
}

static void judge(const struct row *row, bool compat_first, bool turned)
{
    struct cua_facts facts;
    struct cua_policy policy;
    struct cua_verdict verdict;

    row_facts(row, &facts, compat_first);
    row_policy(row, &policy);
    if (turned)
        HASH_SORT(facts.umds, by_path_down);
    assert_int_equal(cua_rules_judge(&verdict, &facts, &policy), 0);
    print_message("# %s: %s: %s %s\n", row->id, cua_reason_code(verdict.reason),
                  verdict.explanation, verdict.help);
    for (size_t i = 0; i < verdict.judgement_count; i++)
        print_message("#   %s: %s: %s\n", verdict.judgements[i].umd->path,
                      cua_reason_code(verdict.judgements[i].reason), verdict.judgements[i].detail);
    assert_string_equal(kind_name(verdict.kind), row->chosen);
    assert_string_equal(works_name(verdict.works), row->works);
    if (strcmp(row->reason, "-") != 0)
        assert_string_equal(cua_reason_code(verdict.reason), row->reason);
    assert_true((verdict.chosen == NULL) == (verdict.kind == CUA_KIND_NONE));
    assert_true(verdict.explanation[0]);
    /* From facts alone: neither NVML nor a trial, unless the row says that the facts leave it
     * open. */
    if (!strstr(row->extra, "trial=") && !strstr(row->extra, "answer="))
        assert_int_equal(verdict.want, CUA_WANT_NOTHING);
    cua_verdict_free(&verdict);
    cua_facts_free(&facts);
}

static void case_holds(void **state)
{
    const struct row *row = *state;

    for (int way = 0; way < 4; way++)
        judge(row, way & 1, way & 2);
}

int main(void)
{
    struct row *rows = calloc(1024, sizeof(*rows));
    struct CMUnitTest *tests = calloc(1024, sizeof(*tests));
    size_t count = 0;
    FILE *file = fopen(CASES, "re");

    if (!file || !rows || !tests)
        return 99;
    while (count < 1024 && row_read(&rows[count], file)) {
        tests[count] = (struct CMUnitTest){
            .name = rows[count].id, .test_func = case_holds, .initial_state = &rows[count]};
        count++;
    }
    fclose(file);
    int failed = _cmocka_run_group_tests("cases", tests, count, NULL, NULL);
    for (size_t i = 0; i < count; i++)
        free(rows[i].text);
    free(rows);
    free(tests);
    return failed;
}
