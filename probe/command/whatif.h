/* SPDX-License-Identifier: Apache-2.0 */
/* Facts that options replace, such as --gpu and --kmd, to ask about another machine (a what-if). */
#ifndef CUA_WHATIF_H
#define CUA_WHATIF_H

#include "facts/facts.h"
#include "machine/subject.h"

/* All zero: no fact is replaced. */
struct cua_overrides {
    const char *kmd; /* the value of --kmd */
    /* Suppose that a container runtime mounts the libcuda of the kernel driver's version. Set with
     * --kmd, unless --unmounted is given. */
    bool mounted;
    const char *const *gpu; /* the values of --gpu, one for each GPU */
    size_t gpu_count;
    const char *const *cc; /* the values of --cc, in the order of the GPUs */
    size_t cc_count;
    const char *visible; /* the value of --visible; NULL: CUDA_VISIBLE_DEVICES counts */
    const char *toolkit; /* the value of --toolkit */
};

/* Replaces one fact, after it was gathered, by what `overrides` (a struct cua_overrides) says. To
 * be used as cua_request.amend. */
void cua_whatif(struct cua_facts *facts, enum cua_fact fact, const struct cua_subject *subject,
                const void *overrides);

/* Converts "8.9" to 89; 0 if it is not a compute capability. */
unsigned cua_cc_parse(const char *s);

#endif
