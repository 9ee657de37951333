/* SPDX-License-Identifier: Apache-2.0 */
/* From a machine to a verdict: the one way that shim and command both go. */
#ifndef CUA_GATHER_H
#define CUA_GATHER_H

#include "facts.h"
#include "policy.h"
#include "rules.h"
#include "view.h"

/* What the command line puts in the place of facts. Zeroed: nothing. */
struct cua_overrides {
    const char *kmd;        /* --kmd */
    bool mounted;           /* --mounted: with kmd's own UMD, as a container runtime mounts it */
    const char *const *gpu; /* --gpu, one a GPU */
    size_t gpu_count;
    const char *const *cc; /* --cc, in the order of --gpu */
    size_t cc_count;
    const char *visible; /* --visible; NULL: as the environment says */
    const char *toolkit; /* --toolkit */
};

/* The single gatherers. Each fills its part of the facts; what cannot be found out stays unknown;
 * they return nothing because unknown is a fact too. None of them loads a library or starts a
 * process, except cua_gather_nvml and the trial (trial.h). */
void cua_kmd_gather(struct cua_kmd *kmd, const struct cua_view *view);
void cua_umds_gather(struct cua_facts *facts, const struct cua_view *view,
                     const struct cua_policy *policy);
/* One file of this system, whatever its name: state, version, note, companions. 0, or
 * -errno where there is none. To be released. */
int cua_umd_read(struct cua_umd *umd, const char *path);
void cua_umd_release(struct cua_umd *umd);
void cua_gpus_gather(struct cua_facts *facts, const struct cua_view *view,
                     const struct cua_overrides *overrides);
void cua_visible_apply(struct cua_facts *facts, const struct cua_view *view,
                       const char *override_visible);
void cua_toolkit_gather(struct cua_toolkit *toolkit, const struct cua_view *view);
bool cua_mps_live(const struct cua_view *view);
/* Loads the native driver's NVML; fills unknown brands and compute capabilities. */
void cua_nvml_gather(struct cua_facts *facts, const struct cua_view *view);

/* All of it, then the rules, then what the rules still want, until they are content. The verdict
 * points into the facts. 0 or -errno. */
int cua_decide(struct cua_facts *facts, struct cua_verdict *verdict, const struct cua_view *view,
               const struct cua_policy *policy, const struct cua_overrides *overrides);

#endif
