/* SPDX-License-Identifier: Apache-2.0 */
/* What the rules answer: a verdict, or the fact that they need first. */
#ifndef CUA_VERDICT_H
#define CUA_VERDICT_H

#include "cuarbiter/reasons.h"
#include "facts/facts.h"
#include "rules/fate.h"

enum cua_kind { CUA_KIND_NONE, CUA_KIND_NATIVE, CUA_KIND_COMPAT, CUA_KIND_OTHER, CUA_KIND_BROUGHT };

#define CUA_TRIALS_MOST 4

struct cua_verdict {
    enum cua_fact next; /* CUA_FACT_NOTHING: this is a verdict, and the other fields are valid */
    /* For CUA_FACT_TRIAL: the files to try, the best first. (The native driver is tried with them
     * where its answer shows whether they are at fault.) For CUA_FACT_LOADS: the file to check. */
    struct cua_umd_key trial[CUA_TRIALS_MOST];
    unsigned trials;

    const struct cua_umd *chosen; /* points into the facts; NULL: the request stays as it is */
    enum cua_kind kind;           /* what kind of file is chosen */
    /* Whether `chosen` works and, as far as that is known, runs the program's CUDA. */
    enum cua_works works;
    enum cua_reason reason;
    unsigned rests_on; /* bit n: fact n has been gathered */
    /* The container's processes have not agreed on a driver yet: call cua_agreed_settle. */
    bool settles;
    bool untried; /* a trial would have helped, but policy, MPS or the machine forbids it */
};

#endif
