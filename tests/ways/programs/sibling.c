/* SPDX-License-Identifier: Apache-2.0 */
/* A library that opens a sibling, which its own RUNPATH leads to and nothing else does. */
#include <dlfcn.h>

int plugin_init(const void **address);

int plugin_init(const void **address)
{
    void *handle = dlopen("needs-beside.so", RTLD_NOW);
    int (*init)(const void **);

    if (!handle)
        return -1;
    *(void **)&init = dlsym(handle, "plugin_init");
    return init ? init(address) : -1;
}
