/* SPDX-License-Identifier: Apache-2.0 */
/* What one moment is, in ns: of this process's CPU time, and of time. */
#ifndef CUA_CLOCK_H
#define CUA_CLOCK_H

#include <time.h>

struct cua_clock {
    long long cpu, wall;
};

static inline long long cua_read_clock(clockid_t which)
{
    struct timespec t;

    clock_gettime(which, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static inline struct cua_clock cua_now(void)
{
    struct cua_clock now;

    now.wall = cua_read_clock(CLOCK_MONOTONIC);
    now.cpu = cua_read_clock(CLOCK_PROCESS_CPUTIME_ID);
    return now;
}

#endif
