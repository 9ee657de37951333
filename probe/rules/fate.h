/* SPDX-License-Identifier: Apache-2.0 */
/* Predicts, as far as that is known, what cuInit of one UMD answers on this machine (such as 803),
 * and why; and whether the UMD serves the program's CUDA. Pure functions.
 *
 * A UMD is a user-mode driver: a libcuda file. The native UMD is the kernel driver's own
 * (facts/native.h). A driver's branch is the first number of its version. A compat build is a UMD
 * that NVIDIA made to run on older kernel drivers (forward compatibility). A trial calls cuInit of
 * a UMD in a child process. */
#ifndef CUA_FATE_H
#define CUA_FATE_H

#include "base/grade.h"
#include "cuarbiter/reasons.h"
#include "facts/facts.h"

/* Except on Tegra and WSL, there are four conditions for a UMD that is newer than the kernel
 * driver: the branches of the two fit, it is a compat build, and it supports the brand and the
 * compute capability of each GPU. The UMD works if all hold and MPS does not run. It fails if the
 * branches certainly do not fit, or if it certainly supports none of the GPUs. Otherwise the result
 * is open. */
struct cua_fate {
    enum cua_works works; /* UNKNOWN: the result is open */
    /* If the UMD works: the lowest grade of the evidence for this; for native, NOTE. The evidence
     * for the compute capability does not count. */
    enum cua_grade grade;
    enum cua_reason reason;    /* why this UMD works, fails, or is open */
    int code;                  /* what cuInit answers: 0, 34, 803, 804; -1 not known */
    enum cua_fact ask;         /* a fact that may decide an open result; NOTHING: none */
    const struct cua_gpu *gpu; /* the GPU that the reason is about; NULL: none */
};

/* Fills in `fate`. Does not use the answers of trials. `whole`: every GPU that the process may use
 * counts, even if CUDA_VISIBLE_DEVICES hides it, because the program may change that variable.
 * Otherwise only the visible GPUs count; if none is visible, all count. */
void cua_fate(struct cua_fate *fate, const struct cua_facts *facts, const struct cua_umd *umd,
              bool whole);

/* Whether a trial was run and its answer shows that this UMD fails here. */
bool cua_trial_fails(const struct cua_facts *facts, const struct cua_umd *umd);

/* Whether the UMD is newer than the kernel driver, and so needs forward compatibility. False if one
 * of the two versions is not known for certain, so always false on WSL. On Tegra: whether the UMD
 * is not native, and is made for Tegra or has an ELF note. */
bool cua_is_newer(const struct cua_facts *facts, const struct cua_umd *umd);

/* The file that CUARBITER_LIBCUDA names; NULL: none, or it is damaged, unreadable or for another
 * architecture. */
const struct cua_umd *cua_named(const struct cua_facts *facts);

/* Whether a file shows that the host's driver was upgraded without reloading nvidia.ko. */
bool cua_host_was_upgraded(const struct cua_facts *facts);

/* Whether the UMD serves the program: whether its CUDA is new enough. NO if the program's CUDA has
 * a later major, because the CUDA runtime then returns error 35. Before CUDA 11 also NO for a later
 * minor, if the program's version is exact. UNKNOWN if one of the two is not known. `hint`: a CUDA
 * that only the image declares counts as the program's. */
enum cua_works cua_serves(const struct cua_facts *facts, const struct cua_umd *umd, bool hint);

#endif
