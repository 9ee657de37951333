/* SPDX-License-Identifier: Apache-2.0 */
/* Linked with libcuda. NEWER: with a function, too, that is called on newer drivers alone. */
#include "work.h"

int cuInit(unsigned flags);
int cuDriverGetVersion(int *version);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuGreenCtxCreate(void **context, void *desc, int device, unsigned flags);

static void run(struct work *got)
{
    got->call.init = cuInit;
    got->call.version = cuDriverGetVersion;
    got->call.retain = cuDevicePrimaryCtxRetain;
    work(got);
#ifdef NEWER
    if (got->need > 99000)
        cuGreenCtxCreate(0, 0, 0, 0);
#endif
}

void linked_run(struct work *got)
{
    run(got);
}

void plugin_run(struct work *got)
{
    run(got);
}
