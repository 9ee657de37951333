/* SPDX-License-Identifier: Apache-2.0 */
/* What the rules (rules.h) answer: a verdict, which is the libcuda that a process gets and why, or
 * the fact that they need first. A trial calls cuInit of a libcuda in a child process. */
#ifndef CUA_VERDICT_H
#define CUA_VERDICT_H

#include "cuarbiter/reasons.h"
#include "facts/facts.h"
#include "rules/fate.h"

enum cua_kind { CUA_KIND_NONE, CUA_KIND_NATIVE, CUA_KIND_COMPAT, CUA_KIND_OTHER, CUA_KIND_BROUGHT };

#define CUA_TRIALS_MOST 4

struct cua_verdict {
    enum cua_fact next; /* CUA_FACT_NOTHING: this is a verdict, and the other fields are valid */
    /* CUA_FACT_TRIAL: the files to try, the best first. CUA_FACT_LOADS: the file to check. */
    struct cua_umd_key trial[CUA_TRIALS_MOST];
    unsigned trials;

    /* Points into the facts. NULL: the program's request for libcuda is passed on unchanged. */
    const struct cua_umd *chosen;
    enum cua_kind kind; /* what kind of file is chosen */
    /* Whether `chosen` works and, as far as that is known, runs the program's CUDA. */
    enum cua_works works;
    enum cua_reason reason;
    unsigned rests_on; /* bit n: fact n has been gathered */
    /* The container's processes have not agreed on a driver yet (decide/agreed.h): call
     * cua_agreed_settle. */
    bool settles;
    /* A trial would have helped, but the policy forbids it, MPS runs, or there is no GPU. */
    bool untried;
};

#endif
