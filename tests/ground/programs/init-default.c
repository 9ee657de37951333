/* SPDX-License-Identifier: Apache-2.0 */
/* init-default [NAME]: opens with RTLD_GLOBAL and finds cuInit as weak probes do. */
#include "report.h"
#include "floor.h"

#include <dlfcn.h>

int main(int argc, char **argv)
{
    int (*init)(unsigned);
    void *handle;

    cua_report_more("before", dlsym(RTLD_DEFAULT, "cuInit") ? "yes" : "no");
    handle = dlopen(argc > 1 ? argv[1] : "libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!handle)
        return cua_report_nothing("init-default", dlerror());
    *(void **)&init = dlsym(RTLD_DEFAULT, "cuInit");
    if (!init)
        return cua_report_nothing("init-default", dlerror());
    return cua_report("init-default", "cuInit", init(0), *(void **)&init);
}
