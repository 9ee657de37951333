/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a library of libc from 1,024 places in its code, so that the shim's cache is full of other
 * callers' rows, then libcuda. Prints which one it got. */
#include <dlfcn.h>
#include <stdio.h>

#define ONCE  dlopen("libm.so.6", RTLD_NOW);
#define FOUR  ONCE ONCE ONCE ONCE
#define MANY  FOUR FOUR FOUR FOUR
#define MORE  MANY MANY MANY MANY
#define MOST  MORE MORE MORE MORE
#define CALLS MOST MOST MOST MOST

int main(void)
{
    int (*who)(void);
    void *handle;

    CALLS;
    handle = dlopen("libcuda.so.1", RTLD_NOW);
    who = handle ? (int (*)(void))dlsym(handle, "who") : NULL;
    printf("libcuda %d\n", who ? who() : -1);
    return 0;
}
