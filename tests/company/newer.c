/* SPDX-License-Identifier: Apache-2.0 */
/* What libcuda has since 12.4 (branch 550), beside what the fake has anyway. */
#include "../fixtures/fake/fake.h"

int cuGreenCtxCreate(void **context, void *desc, int device, unsigned flags);
CUA_FAKE_API int cuGreenCtxCreate(void **context, void *desc, int device, unsigned flags)
{
    (void)context, (void)desc, (void)device, (void)flags;
    return 0;
}
