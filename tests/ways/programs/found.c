/* SPDX-License-Identifier: Apache-2.0 */
/* found default|libc|version: calls a dlopen that it has looked up by dlsym. */
#include <dlfcn.h>
#include <string.h>

#include "report.h"

#if defined(__x86_64__)
#define CUA_BASE_VERSION "GLIBC_2.2.5"
#else
#define CUA_BASE_VERSION "GLIBC_2.17"
#endif

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "default";
    void *(*open)(const char *, int), *handle;
    int (*init)(unsigned);

    if (!strcmp(how, "libc"))
        *(void **)&open = dlsym(dlopen("libc.so.6", RTLD_LAZY), "dlopen");
    else if (!strcmp(how, "version"))
        *(void **)&open = dlvsym(RTLD_DEFAULT, "dlopen", CUA_BASE_VERSION);
    else
        *(void **)&open = dlsym(RTLD_DEFAULT, "dlopen");
    handle = open ? open("libcuda.so.1", RTLD_NOW) : NULL;
    if (!handle)
        return cua_report_nothing("found", dlerror());
    *(void **)&init = dlsym(handle, "cuInit");
    if (!init)
        return cua_report_nothing("found", dlerror());
    return cua_report("found", "cuInit", init(0), *(void **)&init);
}
