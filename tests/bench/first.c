/* SPDX-License-Identifier: Apache-2.0 */
/* first NAME: a process that does nothing but open libcuda and initialise it; see mark.c. */
#include "clock.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((visibility("default"))) extern struct cua_clock cua_start;
struct cua_clock cua_start;
static void *volatile heap;

int main(int argc, char **argv)
{
    int (*init)(unsigned);
    void *handle;

    if (argc != 2)
        return 2;
    /* The first of a process makes its heap; few get as far as CUDA without one. */
    heap = malloc(1);
    cua_start = cua_now();
    handle = dlopen(argv[1], RTLD_NOW);
    if (!handle) {
        fprintf(stderr, "first: %s\n", dlerror());
        return 1;
    }
    *(void **)&init = dlsym(handle, "cuInit");
    if (!init)
        return 1;
    printf("%d\n", init(0));
    fflush(stdout);
    _exit(0);
}
