/* SPDX-License-Identifier: Apache-2.0 */
/* Opens libcuda in its constructor, which runs before those of what was loaded before it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

__asm__(".symver dlopen, dlopen@GLIBC_2.2.5"); /* it is to run on old systems too */
__asm__(".symver dlsym, dlsym@GLIBC_2.2.5");

__attribute__((constructor)) static void begin(void)
{
    void *handle = dlopen("libcuda.so.1", RTLD_NOW);
    int (*init)(unsigned) = NULL;

    if (handle)
        *(void **)&init = dlsym(handle, "cuInit");
    dprintf(STDOUT_FILENO, "cuInit=%d \n", init ? init(0) : -1);
}
