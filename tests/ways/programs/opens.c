/* SPDX-License-Identifier: Apache-2.0 */
/* A library that opens libcuda itself: when it is asked, or (AT_ONCE) when it is loaded. */
#include <dlfcn.h>
#include <stddef.h>

int plugin_init(const void **address);

static void *handle;

static void open_it(void)
{
    if (!handle)
        handle = dlopen("libcuda.so.1", RTLD_NOW);
}

#ifdef AT_ONCE
__attribute__((constructor)) static void at_once(void)
{
    open_it();
}
#endif

int plugin_init(const void **address)
{
    int (*init)(unsigned);

    open_it();
    if (!handle)
        return -1;
    *(void **)&init = dlsym(handle, "cuInit");
    *address = *(void **)&init;
    return init ? init(0) : -1;
}
