/* SPDX-License-Identifier: Apache-2.0 */
/* What the rules share while they judge: the facts, the policy and the verdict so far, and
 * functions to ask for a fact, to choose a file, and to have a file tried. */
#ifndef CUA_BENCH_H
#define CUA_BENCH_H

#include "base/policy.h"
#include "rules/verdict.h"

struct cua_bench {
    struct cua_verdict *verdict;
    const struct cua_facts *facts;
    const struct cua_policy *policy;
    /* Ranks by the latest CUDA, as the policy `newest` does for files that it can try. */
    bool by_cuda;
};

/* True if the rules must ask for this fact first; the verdict then says so. */
bool cua_asks(const struct cua_bench *bench, enum cua_fact fact);

/* Asks for the CUDA of the program and, if that is known, for the CUDA of the drivers. True if the
 * rules must wait for one of these facts. */
bool cua_asks_for_cuda(const struct cua_bench *bench);

/* Sets the verdict. Has no effect if a fact has to be asked for first. */
void cua_choose(const struct cua_bench *bench, const struct cua_umd *umd, enum cua_works works,
                enum cua_reason reason);

/* Whether a trial may run now. False also while the GPUs and MPS are not known: the list of GPUs is
 * part of the key that the answer is cached under. */
bool cua_may_try(const struct cua_bench *bench);

/* Adds a file to the list of files to try. The verdict asks for a trial if this file was not tried
 * yet. */
void cua_ask_trial(const struct cua_bench *bench, const struct cua_umd *umd);

/* cua_has_worked: whether a trial of it answered 0. cua_is_out: whether it cannot be taken. The
 * answer of a trial, of this run or a cached one, outranks every declaration. */
bool cua_has_worked(const struct cua_umd *umd);
bool cua_is_out(const struct cua_facts *facts, const struct cua_umd *umd);

#endif
