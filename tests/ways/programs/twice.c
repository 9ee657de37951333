/* SPDX-License-Identifier: Apache-2.0 */
/* twice FIRST SECOND: opens both; cuInit is called as the second one has it. */
#include <dlfcn.h>
#include <stddef.h>

#include "report.h"

int main(int argc, char **argv)
{
    void *first, *second;
    int (*init)(unsigned);
    const void *address = NULL;
    int (*plugin)(const void **);
    int code;

    if (argc < 3)
        return 2;
    first = dlopen(argv[1], RTLD_NOW);
    if (!first)
        return cua_report_nothing("twice", dlerror());
    second = dlopen(argv[2], RTLD_NOW);
    if (!second)
        return cua_report_nothing("twice", dlerror());
    *(void **)&plugin = dlsym(second, "plugin_init");
    if (plugin) {
        code = plugin(&address);
        return cua_report("twice", "cuInit", code, address);
    }
    *(void **)&init = dlsym(second, "cuInit");
    if (!init)
        return cua_report_nothing("twice", dlerror());
    return cua_report("twice", "cuInit", init(0), *(void **)&init);
}
