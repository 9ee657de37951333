/* SPDX-License-Identifier: Apache-2.0 */
/* init-ml [NAME]: NVML, which must always be the kernel driver's own. */
#include "report.h"
#include "floor.h"

#include <dlfcn.h>

int main(int argc, char **argv)
{
    void *handle = dlopen(argc > 1 ? argv[1] : "libnvidia-ml.so.1", RTLD_NOW);
    int (*init)(void), (*version)(char *, unsigned);
    char text[96] = "-";
    int code;

    if (!handle)
        return cua_report_nothing("init-ml", dlerror());
    *(void **)&init = dlsym(handle, "nvmlInit_v2");
    *(void **)&version = dlsym(handle, "nvmlSystemGetDriverVersion");
    if (!init || !version)
        return cua_report_nothing("init-ml", dlerror());
    code = init();
    if (!code)
        version(text, sizeof text);
    cua_report_more("driver", text);
    return cua_report("init-ml", "nvmlInit_v2", code, *(void **)&init);
}
