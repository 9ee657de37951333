/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the shim acts in this process. */
#ifndef CUA_START_H
#define CUA_START_H

#include "state.h"

/* Decides it where the start-up check has not: the shim came by dlopen, or another library's
 * constructor calls dlopen before the check. */
void cua_begin_late(void);

/* Does the shim act in this process? */
static inline bool cua_awake(void)
{
    if (CUA_GET(phase) == CUA_UNSTARTED)
        cua_begin_late();
    return CUA_GET(phase) == CUA_AWAKE && CUA_GET(present) >= 0;
}

#endif
