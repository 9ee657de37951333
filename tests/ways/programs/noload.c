/* SPDX-License-Identifier: Apache-2.0 */
/* noload [PATH]: asks with RTLD_NOLOAD whether libcuda is there, before it is and after. */
#include <dlfcn.h>
#include <stddef.h>

#include "report.h"

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "libcuda.so.1";
    void *before = dlopen(name, RTLD_NOW | RTLD_NOLOAD), *handle, *after;
    int (*init)(unsigned);

    cua_report_more("before", before ? "yes" : "no");
    handle = dlopen("libcuda.so.1", RTLD_NOW);
    if (!handle)
        return cua_report_nothing("noload", dlerror());
    after = dlopen(name, RTLD_NOW | RTLD_NOLOAD);
    cua_report_more("after", after == handle ? "same" : after ? "another" : "no");
    *(void **)&init = dlsym(handle, "cuInit");
    if (!init)
        return cua_report_nothing("noload", dlerror());
    return cua_report("noload", "cuInit", init(0), *(void **)&init);
}
