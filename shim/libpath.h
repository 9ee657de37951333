/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the file that ld.so would open for a library's name, in simple cases. */
#ifndef CUA_LIBPATH_H
#define CUA_LIBPATH_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>

#define CUA_LIBPATH_MOST 4096

/* The search paths of the object that asks for a library, by DT_NEEDED or by dlopen.
 * LD_LIBRARY_PATH and ld.so's cache are searched too and, if the object has no RUNPATH, the
 * program's RPATH. */
struct cua_paths {
    const char *rpath, *runpath; /* as written in the file; NULL: none */
    const char *origin;          /* the object's folder, `length` bytes; NULL: not known */
    size_t length;
};

struct cua_libpath {
    const char *cache; /* ld.so's cache, mapped; NULL: not mapped yet */
    size_t size;
    bool kept;                   /* the cache stays mapped; if false, the caller unmaps it */
    bool relative;               /* a relative folder of a search path led to a file */
    char path[CUA_LIBPATH_MOST]; /* of the opened file; undefined after a failure */
};

/* Fills in the search paths of an object; they are valid as long as it is loaded. */
void cua_paths_of(struct cua_paths *paths, const struct link_map *object);

/* Reads the program's path, for $ORIGIN in the program's own RPATH or RUNPATH. Without it such a
 * search path cannot be evaluated. Call this only when system calls are certain to be allowed. */
void cua_libpath_prepare(void);

/* Opens the file that a library's name leads to, and returns its descriptor. On failure returns:
 * - -ENOENT: the file is neither in these search paths nor in LD_LIBRARY_PATH nor in the cache. Or
 *   the cache leads to a file that is not there, or the cache itself cannot be opened or mapped.
 *   ld.so may still find the file in a default folder such as /lib64.
 * - Another negative number: it is not certain which file ld.so would open. A search path cannot be
 *   evaluated here, a file cannot be opened, or the cache is damaged or has an old format (the
 *   default of ldconfig before glibc 2.32).
 *
 * If the asking object has no RUNPATH, ld.so also searches the RPATH of the objects that loaded it.
 * Of these only the program's is searched here. */
int cua_libpath_open(struct cua_libpath *libpath, const struct cua_paths *paths, const char *name);

#endif
