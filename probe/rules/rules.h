/* SPDX-License-Identifier: Apache-2.0 */
/* The rules: what the loader alone would take stays, unless it is sure to fail, or sure not to run
 * this program's CUDA while another file is sure to. A pure function over what is known so far: it
 * answers with a verdict, or with the next fact that could change it. What was not asked for is not
 * read; the order of the candidates never matters.
 *
 * Each fact is asked for once, CUA_FACT_TRIAL as long as one of `trial` has `tried` CUA_TRIAL_NONE,
 * CUA_FACT_LOADS for one file at a time. CUA_FACT_NATIVE may not leave the version of the loader's
 * choice doubtful: one that cannot be found out is unknown then. */
#ifndef CUA_RULES_H
#define CUA_RULES_H

#include "base/policy.h"
#include "cuarbiter/reasons.h"
#include "facts/facts.h"
#include "rules/fate.h"

enum cua_kind { CUA_KIND_NONE, CUA_KIND_NATIVE, CUA_KIND_COMPAT, CUA_KIND_OTHER };

#define CUA_TRIALS_MOST 4

struct cua_verdict {
    enum cua_fact next; /* CUA_FACT_NOTHING: the rest holds */
    /* CUA_FACT_TRIAL: which to try, the best first. Native is tried with them. CUA_FACT_LOADS: the
     * one to look at. */
    struct cua_umd_key trial[CUA_TRIALS_MOST];
    unsigned trials;

    const struct cua_umd *chosen; /* in the facts; NULL: the request stays as it is */
    enum cua_kind kind;           /* of it */
    enum cua_works works;         /* and the program's CUDA, as far as it is known, runs on it */
    enum cua_reason reason;
    unsigned rests_on; /* bit n: fact n was asked for */
    bool untried;      /* a trial would have helped, and policy, MPS or the machine forbids it */
};

void cua_rule(struct cua_verdict *verdict, const struct cua_facts *facts,
              const struct cua_policy *policy);

#endif
