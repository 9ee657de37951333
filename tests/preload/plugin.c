/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin that opens its sibling by its own RUNPATH, $ORIGIN. */
#include <dlfcn.h>

int sibling(void);

int sibling(void)
{
    void *handle = dlopen("libleaf.so", RTLD_NOW | RTLD_LOCAL);
    int (*leaf)(void) = handle ? (int (*)(void))dlsym(handle, "leaf") : (int (*)(void))0;

    return leaf ? leaf() : -1;
}
