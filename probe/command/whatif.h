/* SPDX-License-Identifier: Apache-2.0 */
/* Facts that options of the command line replace, such as --gpu and --kmd. */
#ifndef CUA_WHATIF_H
#define CUA_WHATIF_H

#include "facts/facts.h"
#include "machine/subject.h"

/* All zero: no fact is replaced. */
struct cua_overrides {
    const char *kmd; /* the value of --kmd */
    /* --mounted: assumes that a container runtime mounts the libcuda of the version in `kmd`. */
    bool mounted;
    const char *const *gpu; /* --gpu, once per GPU */
    size_t gpu_count;
    const char *const *cc; /* the values of --cc, in the order of --gpu */
    size_t cc_count;
    const char *visible; /* --visible; NULL: as the environment says */
    const char *toolkit; /* the value of --toolkit */
};

/* To be used as cua_request.amend. */
void cua_whatif(struct cua_facts *facts, enum cua_fact fact, const struct cua_subject *subject,
                const void *overrides);

/* Converts "8.9" to 89; 0 if it is not a compute capability. */
unsigned cua_cc_parse(const char *s);

#endif
