/* SPDX-License-Identifier: Apache-2.0 */
/* A program, or with LIBRARY a library, that names a function which drivers before 550 lack, and
 * calls it only where cuInit succeeds and there are many arguments. POINTER: by its address; WEAK:
 * it may be missing; OWN: the program brings its own. DRIVER: what they are linked with. */
#include <stdio.h>

int cuInit(unsigned flags);
#ifdef DRIVER
int cuInit(unsigned flags)
{
    return (int)flags;
}
#define OWN
#endif

#ifdef WEAK
#pragma weak cuGreenCtxCreate
#endif
int cuGreenCtxCreate(void *context, void *resources, int device, unsigned flags);

#ifdef OWN
int cuGreenCtxCreate(void *context, void *resources, int device, unsigned flags)
{
    (void)context, (void)resources, (void)device;
    return (int)flags;
}
#endif

#ifdef POINTER
static int (*volatile create)(void *, void *, int, unsigned) = cuGreenCtxCreate;
#else
#define create cuGreenCtxCreate
#endif

static volatile int count; /* of arguments: not known to the compiler */

static int go(void)
{
    int code = cuInit(0);

    return code == 0 && count > 5 ? create(0, 0, 0, 0) : code;
}

#ifdef DRIVER
int driver(void);

int driver(void)
{
    return go();
}
#elif defined(LIBRARY)
int plugin_init(const void **address);

int plugin_init(const void **address)
{
    *address = (const void *)cuInit;
    return go();
}
#else
int main(int argc, char **argv)
{
    (void)argv;
    count = argc;
    printf("cuInit=%d\n", go());
    return 0;
}
#endif
