/* SPDX-License-Identifier: Apache-2.0 */
/* The program of the pages: initialises CUDA and says how that went. */
#include "floor.h"

#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
    int (*init)(unsigned);
    void *handle = dlopen("libcuda.so.1", RTLD_NOW);

    if (!handle) {
        fprintf(stderr, "app: %s\n", dlerror());
        return 1;
    }
    *(void **)&init = dlsym(handle, "cuInit");
    int code = init(0);
    if (code)
        fprintf(stderr, "app: cuInit: error %d\n", code);
    else
        puts("app: CUDA works");
    return code ? 1 : 0;
}
