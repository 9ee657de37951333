/* SPDX-License-Identifier: Apache-2.0 */
/* A link stub as the CUDA toolkit brings it: it needs nothing and answers 34 to everything. */
#include "fake.h"

#include "umd.h"

CUA_FAKE_API int cuInit(unsigned flags)
{
    (void)flags;
    return CUA_STUB;
}

CUA_FAKE_API int cuDriverGetVersion(int *version)
{
    (void)version;
    return CUA_STUB;
}

CUA_FAKE_API int cuDeviceGetCount(int *count)
{
    (void)count;
    return CUA_STUB;
}
