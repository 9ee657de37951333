/* SPDX-License-Identifier: Apache-2.0 */
/* The objects mapped in this process, copied: what another thread closes meanwhile stays readable.
 */
#ifndef CUA_MAPPED_H
#define CUA_MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cua_mapped_object {
    uintptr_t low, high;
    const char *name;                     /* l_name; the program's is its path */
    const char *soname, *rpath, *runpath; /* "" where there is none; not expanded */
    const char *needs; /* one after the other, each with its NUL, "" at the end */
};

struct cua_mapped {
    struct cua_mapped_object *object; /* in the order in which ld.so has them, the program first */
    size_t count;
    void *memory;
};

/* 0 or -ENOMEM; then there are no objects and nothing to free. */
int cua_mapped_read(struct cua_mapped *mapped);
void cua_mapped_free(struct cua_mapped *mapped);

/* The object that ld.so would take for `name` instead of opening a file; NULL where none. */
const struct cua_mapped_object *cua_mapped_find(const struct cua_mapped *mapped, const char *name);

#endif
