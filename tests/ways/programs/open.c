/* SPDX-License-Identifier: Apache-2.0 */
/* open FILE [global|deep|local]: opens a library that answers plugin_init. */
#include <dlfcn.h>
#include <string.h>

#include "report.h"

int main(int argc, char **argv)
{
    const char *how = argc > 2 ? argv[2] : "local";
    int flags = RTLD_NOW | (!strcmp(how, "global") ? RTLD_GLOBAL
                            : !strcmp(how, "deep") ? RTLD_DEEPBIND
                                                   : RTLD_LOCAL);
    int (*init)(const void **);
    const void *address = NULL;
    void *handle;
    int code;

    if (argc < 2)
        return 2;
    handle = dlopen(argv[1], flags);
    if (!handle)
        return cua_report_nothing("open", dlerror());
    *(void **)&init = dlsym(handle, "plugin_init");
    if (!init)
        return cua_report_nothing("open", dlerror());
    cua_report_more("everywhere", dlsym(RTLD_DEFAULT, "cuInit") ? "yes" : "no");
    code = init(&address);
    return cua_report("open", "cuInit", code, address);
}
