/* SPDX-License-Identifier: Apache-2.0 */
/* One machine at a time, made by hand, and what the rules must say of it. */
#ifndef VERDICT_H
#define VERDICT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "machine.h"
#include "base/policy.h"
#include "base/reasons.h"
#include "base/version.h"
#include "facts/facts.h"
#include "facts/native.h"
#include "rules/words.h"
#include "tables/tables.h"

#define KMD    "535.261.03"
#define COMPAT "/usr/local/cuda/compat"
#define LIB    "/usr/lib/x86_64-linux-gnu"

static struct cua_facts facts;
static struct cua_policy policy;
static struct cua_verdict verdict;

/* A machine of which everything is asked and nothing is there but the kernel driver. */
static inline void machine(const char *kmd)
{
    cua_facts_free(&facts);
    memset(&policy, 0, sizeof(policy));
    memset(facts.asked, true, sizeof(facts.asked));
    facts.by_name = true;
    facts.kmd.platform = CUA_PLATFORM_LINUX;
    facts.gpus_known = true;
    if (kmd)
        cua_version_parse(&facts.kmd.version, kmd);
}

static inline void gpu(const char *model)
{
    struct cua_gpu *grown = realloc(facts.gpus, (facts.gpu_count + 1) * sizeof(*grown));

    facts.gpus = grown;
    grown += facts.gpu_count++;
    *grown = (struct cua_gpu){.visible = true};
    strcpy(grown->model, model);
    const struct cua_known known = cua_data_gpu_by_model(NULL, model);
    grown->brand = known.brand;
    grown->cc = known.cc;
}

static inline struct cua_umd *umd(const char *folder, const char *version)
{
    struct cua_umd *one = machine_umd(&facts, folder, version, HASH_COUNT(facts.umds) + 1);

    one->found = strcmp(folder, COMPAT) == 0 ? CUA_FOUND_COMPAT : CUA_FOUND_DEFAULT;
    facts.native = cua_find_native(&facts);
    return one;
}

/* The loader's choice. */
static inline struct cua_umd *loader(const char *folder, const char *version)
{
    struct cua_umd *one = umd(folder, version);

    facts.loader = one;
    facts.native = cua_find_native(&facts);
    return one;
}

/* The note of 575 and newer, for these branches. */
static inline void note(struct cua_umd *one, unsigned branch, unsigned other)
{
    static const int brands[] = {1, 2, 7, 8, 9, 10, 11, 12, 13, 14};

    one->note.present = one->note.has_branches = one->note.has_brands = true;
    one->note.branch[0] = branch;
    one->note.branch[1] = other;
    one->note.branches = 2;
    memcpy(one->note.brand, brands, sizeof(brands));
    one->note.brands = COUNT(brands);
}

static inline void answers(struct cua_umd *one, int code)
{
    one->tried = code < 0 ? CUA_TRIAL_SILENT : CUA_TRIAL_ANSWERED;
    one->trial_code = code;
}

static inline void program(enum cua_toolkit_kind kind, unsigned cuda)
{
    facts.toolkit.kind = kind;
    facts.toolkit.cuda = cuda;
    strcpy(facts.toolkit.source, "a test");
}

static inline void ruled(const struct cua_umd *chosen, enum cua_works works, enum cua_reason reason)
{
    struct cua_words words;

    cua_rule(&verdict, &facts, &policy);
    MACHINE_HOLDS(&facts, &verdict, verdict.next == CUA_FACT_NOTHING);
    cua_words(&words, &verdict, &facts);
    print_message("# %s: %s %s\n", cua_reason_code(verdict.reason), words.explanation, words.help);
    MACHINE_HOLDS(&facts, &verdict, verdict.chosen == chosen);
    if (verdict.reason != reason)
        machine_tell(&facts, &verdict);
    assert_string_equal(cua_reason_code(verdict.reason), cua_reason_code(reason));
    MACHINE_HOLDS(&facts, &verdict, verdict.works == works);
    assert_true(words.explanation[0]);
}

static inline void asks(enum cua_fact fact)
{
    cua_rule(&verdict, &facts, &policy);
    MACHINE_HOLDS(&facts, &verdict, verdict.next == fact);
}

static inline void tries(const struct cua_umd *first)
{
    asks(CUA_FACT_TRIAL);
    assert_memory_equal(&verdict.trial[0], &first->key, sizeof(first->key));
}

static inline int end_machine(void **state)
{
    (void)state;
    cua_facts_free(&facts);
    return 0;
}

#endif
