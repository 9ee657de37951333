/* SPDX-License-Identifier: Apache-2.0 */
/* A cheap check whether a library that is about to be loaded needs libcuda, directly or through
 * other libraries. */
#ifndef CUA_NEEDS_H
#define CUA_NEEDS_H

#include <link.h>
#include <stdbool.h>

enum cua_look {
    CUA_LOOK_DONE,  /* the library does not bring libcuda in */
    CUA_LOOK_NOW,   /* the same, but only until the current folder changes */
    CUA_LOOK_SHORT, /* it brings libcuda in, or only the answerer can find out */
    CUA_LOOK_NONE,  /* no file was found, or it cannot be read now as a library */
};

/* Checks a library, and the libraries that it needs unless they are known (known.h). If none of
 * them brings libcuda in, the needed ones become known. `caller`: the object whose search paths
 * apply to `path`, a name; NULL: `path` is a path. */
enum cua_look cua_brings(const char *path, const struct link_map *caller);

/* Whether this is the name of a library of libc or of the compiler's run time. These libraries need
 * only each other. */
bool cua_name_libc(const char *file);

#endif
