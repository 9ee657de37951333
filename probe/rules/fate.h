/* SPDX-License-Identifier: Apache-2.0 */
/* Predicts what cuInit will answer with one UMD on this machine, and why (803, 804), as far as that
 * is known; and whether the UMD serves the program's CUDA. Pure. */
#ifndef CUA_FATE_H
#define CUA_FATE_H

#include "base/grade.h"
#include "cuarbiter/reasons.h"
#include "facts/facts.h"

/* Branch, brand, compute capability and kind of build are conditions, each with its own evidence.
 * The UMD works if all are fulfilled and fails if one is certainly not; otherwise the result is
 * open. */
struct cua_fate {
    enum cua_works works;      /* UNKNOWN: the result is open */
    enum cua_grade grade;      /* if it works: the lowest grade among the conditions */
    enum cua_reason reason;    /* the reason, from a candidate's point of view */
    int code;                  /* what cuInit answers: 0, 34, 803, 804; -1 not known */
    enum cua_fact ask;         /* the fact that would close an open result; else CUA_FACT_NOTHING */
    const struct cua_gpu *gpu; /* the GPU that the reason is about; NULL: none */
};

/* Judges without the answers of trials. `whole`: count every GPU of the machine, also hidden ones,
 * which the program may unhide; otherwise only those that it sees now. */
void cua_fate(struct cua_fate *fate, const struct cua_facts *facts, const struct cua_umd *umd,
              bool whole);

/* Whether the answer of a trial counts against this UMD. */
bool cua_trial_fails(const struct cua_facts *facts, const struct cua_umd *umd);

/* Whether it is newer than the kernel driver, so that it works by forward compatibility only; on
 * Tegra whether it is a compat build. */
bool cua_is_newer(const struct cua_facts *facts, const struct cua_umd *umd);

/* The file that CUARBITER_LIBCUDA names; NULL: none, or it cannot be loaded. */
const struct cua_umd *cua_named(const struct cua_facts *facts);

/* Whether a file shows that the host's driver was upgraded without reloading nvidia.ko. */
bool cua_host_was_upgraded(const struct cua_facts *facts);

/* Whether the program runs with this UMD. NO only if its CUDA has a later major than the UMD's
 * (before CUDA 11, also a later minor): then the CUDA runtime returns error 35. `hint`: whether
 * what the image declares counts too. */
enum cua_works cua_serves(const struct cua_facts *facts, const struct cua_umd *umd, bool hint);

#endif
