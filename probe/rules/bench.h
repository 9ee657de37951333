/* SPDX-License-Identifier: Apache-2.0 */
/* What the rules (rules.h) share while they judge: the facts, the policy and the verdict so far,
 * and functions to ask for a fact, to choose a file, and to have a file tried.
 *
 * A UMD is a user-mode driver: a libcuda file. Candidates are the UMDs that could be chosen. The
 * loader's choice is the UMD that ld.so would take by itself. A trial calls cuInit of a UMD in a
 * child process. The tables are cuarbiter's data about drivers and GPUs (tables/tables.h). */
#ifndef CUA_BENCH_H
#define CUA_BENCH_H

#include "base/policy.h"
#include "rules/verdict.h"

struct cua_bench {
    struct cua_verdict *verdict;
    const struct cua_facts *facts;
    const struct cua_policy *policy;
    /* Candidates are ranked by their CUDA first, as the policy `newest` needs it. */
    bool by_cuda;
};

/* True if this fact was not gathered yet. The verdict then asks for it, and the rules must
 * return. */
bool cua_asks(const struct cua_bench *bench, enum cua_fact fact);

/* Asks for the CUDA that the program needs. If that is known, asks for the tables too, because they
 * show the CUDA of the drivers. True if the rules must return to wait for one of these facts. */
bool cua_asks_for_cuda(const struct cua_bench *bench);

/* Sets the verdict. `umd` NULL: the program's request for libcuda is passed on unchanged. If the
 * program's CUDA is too new for `umd`, `works` is lowered to NO, or to UNKNOWN if only the image
 * declares that CUDA. If this changes `works`, the reason becomes RUNTIME_TOO_NEW.
 * If it is not known whether `umd` loads in place of the loader's choice, the verdict asks for
 * that. As long as verdict->next asks for a fact, the verdict is not valid. */
void cua_choose(const struct cua_bench *bench, const struct cua_umd *umd, enum cua_works works,
                enum cua_reason reason);

/* Whether a trial may run now. False, and verdict->untried is set, if the policy forbids trials,
 * the machine has no GPU, or MPS runs. If the GPUs or MPS are not known yet, asks for them and
 * returns false. The GPUs are needed because they are part of the key under which the answer is
 * cached. */
bool cua_may_try(const struct cua_bench *bench);

/* Adds a file to verdict->trial, which must have room. The verdict asks for a trial if this file
 * was not tried yet. */
void cua_ask_trial(const struct cua_bench *bench, const struct cua_umd *umd);

/* Whether cuInit of the UMD answered 0 in a trial. */
bool cua_has_worked(const struct cua_umd *umd);

/* Whether the UMD must not be taken, because it does not load or fails in a trial. A trial's
 * answer, new or cached, outranks what the UMD's ELF note, the tables or the image declare. */
bool cua_is_out(const struct cua_facts *facts, const struct cua_umd *umd);

#endif
