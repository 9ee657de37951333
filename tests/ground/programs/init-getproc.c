/* SPDX-License-Identifier: Apache-2.0 */
/* init-getproc [NAME]: takes cuInit from cuGetProcAddress, as runtimes since 11.3 do. */
#include "report.h"
#include "floor.h"

#include <dlfcn.h>

int main(int argc, char **argv)
{
    void *handle = dlopen(argc > 1 ? argv[1] : "libcuda.so.1", RTLD_NOW);
    int (*get)(const char *, void **, int, unsigned long long);
    int (*get_v2)(const char *, void **, int, unsigned long long, int *);
    int (*init)(unsigned);
    void *address = 0;
    int found = -1;

    if (!handle)
        return cua_report_nothing("init-getproc", dlerror());
    *(void **)&get = dlsym(handle, "cuGetProcAddress");
    *(void **)&get_v2 = dlsym(handle, "cuGetProcAddress_v2");
    if (get_v2)
        get_v2("cuInit", &address, 12000, 0, &found);
    else if (get)
        get("cuInit", &address, 11030, 0);
    if (!address)
        return cua_report_nothing("init-getproc", "cuGetProcAddress gives no cuInit");
    cua_report_more("by", get_v2 ? "cuGetProcAddress_v2" : "cuGetProcAddress");
    *(void **)&init = address;
    return cua_report("init-getproc", "cuInit", init(0), address);
}
