/* SPDX-License-Identifier: Apache-2.0 */
/* init-cudart FILE: the first question of every CUDA program, through a real runtime. */
#include "report.h"
#include "floor.h"

#include <dlfcn.h>

int main(int argc, char **argv)
{
    void *handle = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0;
    int (*count)(int *);
    const char *(*text)(int);
    int code, n = 0;

    if (!handle)
        return cua_report_nothing("init-cudart", argc > 1 ? dlerror() : "no file given");
    *(void **)&count = dlsym(handle, "cudaGetDeviceCount");
    *(void **)&text = dlsym(handle, "cudaGetErrorString");
    if (!count || !text)
        return cua_report_nothing("init-cudart", dlerror());
    code = count(&n);
    cua_report_more("says", text(code));
    return cua_report("init-cudart", "cudaGetDeviceCount", code, 0);
}
