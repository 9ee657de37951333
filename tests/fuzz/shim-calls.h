/* SPDX-License-Identifier: Apache-2.0 */
/* The shim's system calls by libc's, so that sanitizers know of them. */
#ifndef CUA_FUZZ_SHIM_CALLS_H
#define CUA_FUZZ_SHIM_CALLS_H

#include <errno.h>
#include <unistd.h>

#include "shim/syscalls.h"

long cua_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    long result = syscall(number, a, b, c, d, e, f);

    return result == -1 ? -errno : result;
}

#endif
