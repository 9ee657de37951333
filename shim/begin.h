/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the shim acts in this process. */
#ifndef CUA_BEGIN_H
#define CUA_BEGIN_H

#include "state.h"

/* What one walk over ld.so's list of objects finds. The walk also sets the fields of state.h that
 * come from that list. */
struct cua_survey {
    const struct link_map *self, *libc, *last;
    bool opened;         /* the shim was loaded by dlopen: libc comes before it in the list */
    bool before, behind; /* the list has another shim, before this one or after it */
    const char *libcuda; /* l_name of the first libcuda that is mapped; NULL: none */
};

/* False where the shim must not act: on musl, in a namespace other than the base one, or if another
 * shim acts already. */
bool cua_take_survey(const struct link_map *first, struct cua_survey *survey);

/* Decides whether the shim acts, in two cases in which the start-up check has not decided it: the
 * shim was loaded by dlopen, or another library's constructor calls dlopen before the check. */
void cua_begin_late(void);

/* Whether the shim acts in this process. */
static inline bool cua_awake(void)
{
    if (CUA_GET(phase) == CUA_UNSTARTED)
        cua_begin_late();
    return CUA_GET(phase) == CUA_AWAKE && CUA_GET(present) >= 0;
}

#endif
