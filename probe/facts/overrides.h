/* SPDX-License-Identifier: Apache-2.0 */
/* Facts that a what-if names, in the place of what would be found. */
#ifndef CUA_OVERRIDES_H
#define CUA_OVERRIDES_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
