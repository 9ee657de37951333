/* SPDX-License-Identifier: Apache-2.0 */
/* What a command line puts in the place of facts. */
#ifndef CUA_WHATIF_H
#define CUA_WHATIF_H

#include "facts/facts.h"
#include "machine/subject.h"

/* Zeroed: nothing. */
struct cua_overrides {
    const char *kmd;        /* --kmd */
    bool mounted;           /* --mounted: with kmd's own UMD, as a container runtime mounts it */
    const char *const *gpu; /* --gpu, one per GPU */
    size_t gpu_count;
    const char *const *cc; /* --cc, in the order of --gpu */
    size_t cc_count;
    const char *visible; /* --visible; NULL: as in the environment */
    const char *toolkit; /* --toolkit */
};

/* For cua_request.amend. */
void cua_whatif(struct cua_facts *facts, enum cua_fact fact, const struct cua_subject *subject,
                const void *overrides);

/* "8.9" to 89; 0 if it is not a compute capability. */
unsigned cua_cc_parse(const char *s);

#endif
