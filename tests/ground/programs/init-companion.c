/* SPDX-License-Identifier: Apache-2.0 */
/* init-companion [NAME...]: asks a fake libcuda which file it gets for each companion's name. */
#include "report.h"
#include "floor.h"

#include <dlfcn.h>

int main(int argc, char **argv)
{
    void *handle = dlopen("libcuda.so.1", RTLD_NOW);
    const char *(*path)(const char *);
    int (*init)(unsigned);
    int i;

    if (!handle)
        return cua_report_nothing("init-companion", dlerror());
    *(void **)&path = dlsym(handle, "fake_companion_path");
    *(void **)&init = dlsym(handle, "cuInit");
    if (!path || !init)
        return cua_report_nothing("init-companion", dlerror());
    for (i = 1; i < argc; i++)
        cua_report_more(argv[i], path(argv[i]));
    return cua_report("init-companion", "cuInit", init(0), *(void **)&init);
}
