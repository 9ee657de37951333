/* SPDX-License-Identifier: Apache-2.0 */
/* init-plugin [FILE]: opens a library that needs libcuda.so.1; without FILE its own plugin.so. */
#include "report.h"
#include "floor.h"

#include <dlfcn.h>

int main(int argc, char **argv)
{
    void *handle = dlopen(argc > 1 ? argv[1] : "plugin.so", RTLD_NOW);
    int (*init)(const void **);
    const void *address;
    int code;

    if (!handle)
        return cua_report_nothing("init-plugin", dlerror());
    *(void **)&init = dlsym(handle, "plugin_init");
    if (!init)
        return cua_report_nothing("init-plugin", dlerror());
    code = init(&address);
    return cua_report("init-plugin", "cuInit", code, address);
}
