/* SPDX-License-Identifier: Apache-2.0 */
/* init-dlopen [NAME]: opens a libcuda by name and initialises it. */
#include "report.h"
#include "floor.h"

#include <dlfcn.h>

int main(int argc, char **argv)
{
    void *handle = dlopen(argc > 1 ? argv[1] : "libcuda.so.1", RTLD_NOW);
    int (*init)(unsigned);

    if (!handle)
        return cua_report_nothing("init-dlopen", dlerror());
    *(void **)&init = dlsym(handle, "cuInit");
    if (!init)
        return cua_report_nothing("init-dlopen", dlerror());
    return cua_report("init-dlopen", "cuInit", init(0), *(void **)&init);
}
