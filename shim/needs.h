/* SPDX-License-Identifier: Apache-2.0 */
/* A cheap check whether a library that is about to be loaded brings libcuda in (needs it, directly
 * or through other libraries). If this check cannot find out, the answerer (a program, ask.h) is
 * asked. */
#ifndef CUA_NEEDS_H
#define CUA_NEEDS_H

#include <link.h>
#include <stdbool.h>

enum cua_look {
    CUA_LOOK_DONE,  /* the library does not bring libcuda in */
    CUA_LOOK_NOW,   /* the same, but only until the current folder changes */
    CUA_LOOK_SHORT, /* it brings libcuda in, or only the answerer can find out */
    /* No file was found. For a path also: the file cannot be read now as a library. */
    CUA_LOOK_NONE,
};

/* Whether a library brings libcuda in. Follows the libraries that it needs, except those that are
 * already known not to bring it in (known.h). If the result is CUA_LOOK_DONE, the libraries that
 * were followed become known too.
 *
 * If `path` is a name without a slash, `caller` is the object whose search paths apply; else
 * `caller` is NULL. */
enum cua_look cua_brings(const char *path, const struct link_map *caller);

/* Whether this is the name of a library of libc or of the compiler's run time. These libraries need
 * only each other. */
bool cua_name_libc(const char *file);

#endif
