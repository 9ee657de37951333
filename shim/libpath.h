/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the file that ld.so would open for a name, in simple cases. */
#ifndef CUA_LIBPATH_H
#define CUA_LIBPATH_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>

#define CUA_LIBPATH_MOST 4096

/* Where to search, besides LD_LIBRARY_PATH and the cache: the search paths of the library that
 * needs the names. */
struct cua_paths {
    const char *rpath, *runpath; /* as written in the file; NULL: none */
    const char *origin;          /* the library's folder, `length` bytes; NULL: not known */
    size_t length;
};

struct cua_libpath {
    const char *cache; /* ld.so's cache, mapped; NULL: not mapped yet */
    size_t size;
    bool kept;                   /* the cache stays mapped; otherwise the caller unmaps it */
    bool relative;               /* a file was opened that lies below the current folder */
    char path[CUA_LIBPATH_MOST]; /* path of the file that was opened last */
};

/* Fills in the paths of an object; they are valid as long as it is loaded. */
void cua_paths_of(struct cua_paths *paths, const struct link_map *object);

/* Reads the program's folder, for $ORIGIN in its own search paths; before, such a path cannot be
 * evaluated. Call it only when system calls are certain to be allowed. */
void cua_libpath_prepare(void);

/* Returns the open file; -ENOENT if it is in none of these places, though ld.so may still find it
 * in a default folder such as /lib64; another negative number if a search path cannot be evaluated
 * here. Ignores the RPATHs of the objects that loaded the library, except the program's. */
int cua_libpath_open(struct cua_libpath *libpath, const struct cua_paths *paths, const char *name);

#endif
