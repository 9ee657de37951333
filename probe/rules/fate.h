/* SPDX-License-Identifier: Apache-2.0 */
/* What cuInit will answer with one UMD on this machine and why (803, 804), as far as it is known,
 * and whether it serves the program's CUDA. Pure. */
#ifndef CUA_FATE_H
#define CUA_FATE_H

#include "base/grade.h"
#include "cuarbiter/reasons.h"
#include "facts/facts.h"

/* Branch, brand, compute capability and kind of build are conditions, each with evidence of its
 * own: it works if all are fulfilled, it fails if one surely is not, else it is open. */
struct cua_fate {
    enum cua_works works;      /* UNKNOWN: open */
    enum cua_grade grade;      /* where it works: the lowest among the conditions */
    enum cua_reason reason;    /* as a candidate */
    int code;                  /* what cuInit answers: 0, 34, 803, 804; -1 unknown */
    enum cua_fact ask;         /* open until this is asked for; CUA_FACT_NOTHING */
    const struct cua_gpu *gpu; /* the one that the reason speaks of; NULL */
};

/* Without what a trial answered. `whole`: every GPU of the machine counts, hidden ones too, which
 * the program may unhide; else those that it sees now. */
void cua_fate(struct cua_fate *fate, const struct cua_facts *facts, const struct cua_umd *umd,
              bool whole);

/* Whether a trial that was run of it counts against it. */
bool cua_trial_fails(const struct cua_facts *facts, const struct cua_umd *umd);

/* Newer than the kernel driver: what works by forward compatibility only. On Tegra a compat
 * build. */
bool cua_is_newer(const struct cua_facts *facts, const struct cua_umd *umd);

/* Whether a program of the known CUDA runs on it. NO for a later major alone, before CUDA 11
 * of a later minor too: that answers 35. `hint`: whether what the image declares counts. */
enum cua_works cua_serves(const struct cua_facts *facts, const struct cua_umd *umd, bool hint);

#endif
