/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What others put into a container's /etc/ld.so.preload, small. With QUOTA as HAMi's libvgpu, which
 * gives programs its own functions where they look for the driver's; without as an agent of
 * observability, whose constructor notes every process. Each says on standard error that it acts.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static void act(const char *what)
{
    fprintf(stderr, "agent: in %s%s\n", program_invocation_name, what);
}

#ifdef QUOTA
#if defined(__x86_64__)
#define FLOOR "GLIBC_2.2.5"
#else
#define FLOOR "GLIBC_2.17"
#endif
__asm__(".symver dlvsym, dlvsym@" FLOOR);

static int (*real_init)(unsigned);

static int metered_init(unsigned flags)
{
    act(", cuInit");
    return real_init(flags);
}

void *dlsym(void *restrict handle, const char *restrict name)
{
    static void *(*real)(void *, const char *);

    if (!real)
        *(void **)&real = dlvsym(RTLD_NEXT, "dlsym", FLOOR);
    void *found = real(handle, name);
    if (!found || strcmp(name, "cuInit") != 0)
        return found;
    *(void **)&real_init = found;
    *(int (**)(unsigned)) & found = metered_init;
    return found;
}
#else
__attribute__((constructor)) static void note(void)
{
    act("");
}
#endif
