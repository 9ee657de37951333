/* SPDX-License-Identifier: Apache-2.0 */
/* spaces base|new FILE [plugin]: dlmopen into a namespace. With "plugin", FILE answers
 * plugin_init. */
#include <dlfcn.h>
#include <string.h>

#include "report.h"

int main(int argc, char **argv)
{
    Lmid_t space = argc > 1 && !strcmp(argv[1], "new") ? LM_ID_NEWLM : LM_ID_BASE;
    void *handle = argc > 2 ? dlmopen(space, argv[2], RTLD_NOW) : NULL;
    int (*plugin)(const void **);
    int (*init)(unsigned);
    const void *address = NULL;
    int code;

    if (!handle)
        return cua_report_nothing("spaces", argc > 2 ? dlerror() : "no file given");
    *(void **)&plugin = dlsym(handle, "plugin_init");
    *(void **)&init = dlsym(handle, "cuInit");
    if (argc > 3) {
        code = plugin ? plugin(&address) : -1;
        return cua_report("spaces", "cuInit", code, address);
    }
    if (!init)
        return cua_report_nothing("spaces", dlerror());
    return cua_report("spaces", "cuInit", init(0), *(void **)&init);
}
