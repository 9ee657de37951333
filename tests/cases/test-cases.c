/* SPDX-License-Identifier: Apache-2.0 */
/* Every row of cases.tsv, or of the file named, gets its verdict, whatever ld.so would take and in
 * whatever order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "row.h"
#include "rules/words.h"
#include "unit.h"
#include "base/policy.h"
#include "base/reasons.h"
#include "facts/facts.h"

static const char *kind_name(enum cua_kind kind)
{
    static const char *const names[] = {"none", "native", "compat", "other", "brought"};

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

/* An answer is there once it was asked for; native's comes with any other. */
static void decide(struct cua_verdict *verdict, struct cua_facts *facts,
                   const struct cua_policy *policy)
{
    struct cua_umd had[8] = {{.path = NULL}};

    for (struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next) {
        assert_true(umd->key.ino < sizeof(had) / sizeof(*had));
        had[umd->key.ino] = *umd;
        umd->tried = CUA_TRIAL_NONE;
    }
    for (int asked = 0; cua_rule(verdict, facts, policy), verdict->next; asked++) {
        assert_int_equal(verdict->next, CUA_FACT_TRIAL);
        assert_true(asked < 8);
        for (unsigned i = 0; i < verdict->trials; i++)
            cua_facts_umd(facts, &verdict->trial[i])->tried = had[verdict->trial[i].ino].tried;
        if (facts->native)
            cua_facts_umd(facts, &facts->native->key)->tried = had[facts->native->key.ino].tried;
    }
}

static void judge(const struct row *row, bool compat_first, bool turned)
{
    struct cua_facts facts;
    struct cua_policy policy;
    struct cua_verdict verdict;
    struct cua_words words;
    struct cua_detail detail;

    row_facts(row, &facts, compat_first);
    row_policy(row, &policy);
    if (turned)
        HASH_SORT(facts.umds, by_path_down);
    decide(&verdict, &facts, &policy);
    cua_words(&words, &verdict, &facts);
    print_message("# %s, loader %s: %s %s: %s: %s %s\n", row->id,
                  facts.loader ? facts.loader->path : "none", kind_name(verdict.kind),
                  works_name(verdict.works), cua_reason_code(verdict.reason), words.explanation,
                  words.help);
    for (const struct cua_umd *umd = facts.umds; umd; umd = umd->hh.next) {
        const char *code = cua_reason_code(cua_judge(&detail, &facts, umd));
        print_message("#   %s: %s: %s\n", umd->path, code, detail.text);
    }
    assert_string_equal(kind_name(verdict.kind), row->chosen);
    assert_string_equal(works_name(verdict.works), row->works);
    if (strcmp(row->reason, "-") != 0)
        assert_string_equal(cua_reason_code(verdict.reason), row->reason);
    assert_true((verdict.chosen == NULL) == (verdict.kind == CUA_KIND_NONE));
    assert_true(words.explanation[0]);
    cua_facts_free(&facts);
}

static void case_holds(void **state)
{
    const struct row *row = *state;

    for (int way = 0; way < 4; way++)
        if (strcmp(row->loader, way & 1 ? "native" : "compat") != 0)
            judge(row, way & 1, way & 2);
}

int main(int argc, char **argv)
{
    struct row *rows = calloc(1024, sizeof(*rows));
    struct CMUnitTest *tests = calloc(1024, sizeof(*tests));
    size_t count = 0;
    FILE *file = fopen(argc > 1 ? argv[1] : CASES, "re");

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
