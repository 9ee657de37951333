/* SPDX-License-Identifier: Apache-2.0 */
/* The objects mapped in this process, copied: what another thread closes meanwhile stays readable.
 * The copy is kept from one reading to the next, which looks only at what came since. */
#ifndef CUA_MAPPED_H
#define CUA_MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cua_mapped_object {
    uintptr_t low, high;
    const char *name;           /* l_name; the program's is "" */
    const char *base;           /* what follows the last slash of it */
    const char *soname, *rpath; /* "" where there is none; not expanded */
    const char *runpath; /* NULL where there is none: an empty one also keeps the RPATHs out */
    const char *needs;   /* one after the other, each with its NUL, "" at the end */
};

struct cua_mapped {
    struct cua_mapped_object *object; /* in the order in which ld.so has them, the program first */
    size_t count;
    struct cua_mapped_copy *copy;
};

struct dl_phdr_info;

/* What ld.so's list is read by: the dl_iterate_phdr that a program has of its own may show a copy
 * made long ago, or not be set up yet. cua_mapped_visit calls it. */
extern int (*_Atomic cua_mapped_iterate)(int (*)(struct dl_phdr_info *, size_t, void *), void *);
int cua_mapped_visit(int (*visit)(struct dl_phdr_info *, size_t, void *), void *arg);

/* The program's path, "" where it cannot be known; asked for when it is needed, because the first
 * look at /proc/self/exe costs a process 15 us. Lives as long as the process. */
const char *cua_mapped_program(void);

/* 0 or -ENOMEM; then there are no objects and nothing to free. After 0 there is at least one. */
int cua_mapped_read(struct cua_mapped *mapped);

void cua_mapped_free(struct cua_mapped *mapped);

/* The object that `address` lies in; the program for NULL and for what lies in none. */
const struct cua_mapped_object *cua_mapped_at(const struct cua_mapped *mapped, const void *address);

/* The object that ld.so would take for `name` instead of opening a file; NULL where none. */
const struct cua_mapped_object *cua_mapped_find(const struct cua_mapped *mapped, const char *name);

/* Does an object need another, by any of its names? */
bool cua_mapped_needs(const struct cua_mapped_object *object,
                      const struct cua_mapped_object *needed);

/* Is an object mapped in this process that ld.so takes for `name`? */
bool cua_mapped_has(const char *name);

/* Is a libcuda mapped in this process? `path` (PATH_MAX): l_name of the first one, or "". */
bool cua_mapped_libcuda(char *path);

#endif
