/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the objects that are mapped in the process that asks (machine/asker.h): the program whose
 * shim, the preloaded library, has started this process with a question. The question contains the
 * list. If no process asks, lists the objects of this process by their names alone: `soname` is
 * then the file name, `runpath` is NULL, and `rpath` and `needs` are "". */
#ifndef CUA_MAPPED_H
#define CUA_MAPPED_H

#include <stdbool.h>
#include <stddef.h>

struct cua_mapped_object {
    const char *name;           /* the object's l_name; "" for the program */
    const char *base;           /* the part of `name` after the last slash */
    const char *soname, *rpath; /* DT_SONAME and DT_RPATH; "" if it has none; not expanded */
    /* DT_RUNPATH, not expanded; NULL if it is missing, "" if it is empty. Even an empty one makes
     * ld.so ignore RPATHs, so `rpath` is "" then. */
    const char *runpath;
    const char *needs; /* names of the needed libraries, each with its NUL, then "" */
};

struct cua_mapped {
    const struct cua_mapped_object *object; /* in ld.so's order, beginning with the program */
    size_t count;
};

/* Returns the list, which has at least one object. It lives as long as this process. */
const struct cua_mapped *cua_mapped(void);

/* Sets the list to the objects that the asking process has mapped. The array is kept, not copied.
 * Must be called before any other function here. */
void cua_mapped_say(const struct cua_mapped_object *object, size_t count);

/* The path of the asking process's program; "" if it cannot be determined. Lives as long as this
 * process. */
const char *cua_mapped_program(void);

/* The mapped object that ld.so would use for `name` instead of opening a file; NULL if there is
 * none. */
const struct cua_mapped_object *cua_mapped_find(const char *name);

/* Whether `object` needs `needed`, by the SONAME, the path or the file name of `needed`. */
bool cua_mapped_needs(const struct cua_mapped_object *object,
                      const struct cua_mapped_object *needed);

/* Whether a libcuda is mapped. `path` (PATH_MAX bytes) receives the l_name of the first one; "" if
 * there is none. */
bool cua_mapped_libcuda(char *path);

#endif
