/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the shim acts in this process. If not, it passes every dlopen on unchanged. */
#ifndef CUA_BEGIN_H
#define CUA_BEGIN_H

#include "state.h"

/* What cua_take_survey finds in one walk over ld.so's list of objects. It also sets the fields
 * `libc` and `last` of state.h and, if it finds both the shim and libc, `self`. */
struct cua_survey {
    const struct link_map *self, *libc, *last;
    /* libc comes before the shim in the list: dlopen has loaded the shim, or libc was preloaded
     * before it. */
    bool opened;
    /* The list has another shim. behind: between this shim and libc; before: anywhere else. */
    bool before, behind;
    const char *libcuda; /* l_name of the first libcuda in the list; NULL: there is none */
};

/* Walks the list, whose first object is `first`. Returns whether the shim may act. False in these
 * cases:
 * - The shim itself or glibc is not in the list (as on musl).
 * - The list is that of a namespace other than the base one.
 * - Another shim acts instead. */
bool cua_take_survey(const struct link_map *first, struct cua_survey *survey);

/* Decides whether the shim acts. Decides nothing while libc is not set up yet; then the start-up
 * check (start.c) or a later call decides. Called by the start-up check where it cannot decide
 * itself. Called by cua_awake if the program calls dlopen before that check, as an IFUNC resolver
 * may. */
void cua_begin_late(void);

/* Whether the shim acts in this process. Decides that if it is not decided yet. False also if
 * cua_present (state.h) has found that there is nothing to choose, for example no driver. */
static inline bool cua_awake(void)
{
    if (CUA_GET(phase) == CUA_UNSTARTED)
        cua_begin_late();
    return CUA_GET(phase) == CUA_AWAKE && CUA_GET(present) >= 0;
}

#endif
