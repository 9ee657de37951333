/* SPDX-License-Identifier: Apache-2.0 */
/* Which file ld.so would open for a name, in the plain case. */
#ifndef CUA_LIBPATH_H
#define CUA_LIBPATH_H

#include <stdbool.h>
#include <stddef.h>

struct cua_libpath {
    const char *cache; /* ld.so's, mapped; NULL: not yet */
    size_t size;
    bool kept; /* else to be unmapped by the caller */
};

/* Returns the open file, or a negative number where the engine must be asked: an object of the
 * process has its own search paths, or the name is neither in LD_LIBRARY_PATH nor in the cache. */
int cua_libpath_open(struct cua_libpath *libpath, const char *name);

#endif
