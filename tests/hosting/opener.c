/* SPDX-License-Identifier: Apache-2.0 */
/* A library with a search path of its own that opens others on its own behalf. */
#include <dlfcn.h>

void *OPENER(const char *name);

void *OPENER(const char *name)
{
    void *volatile handle = dlopen(name, RTLD_LAZY); /* a tail call would be the caller's own */

    return handle;
}
