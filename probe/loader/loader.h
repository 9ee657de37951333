/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What ld.so would do: which file a name stands for, and what a library would bring in. Follows
 * glibc (elf/dl-load.c): RPATH chain unless the requester has a RUNPATH, LD_LIBRARY_PATH, RUNPATH,
 * the cache with hwcaps, default folders; $ORIGIN, $LIB, $PLATFORM.
 */
#ifndef CUA_LOADER_H
#define CUA_LOADER_H

#include <limits.h>
#include <stdbool.h>

#include "machine/subject.h"

/* On whose behalf a search is made; "" and NULL fields are skipped. */
struct cua_requester {
    const char *origin;  /* folder of the requesting object, for $ORIGIN in a name; else "" */
    const char *rpath;   /* DT_RPATH of it and of those that loaded it, joined by ':', expanded */
    const char *runpath; /* DT_RUNPATH, expanded */
    /* What they lie in. */
    char own[PATH_MAX], scratch[PATH_MAX], list[4 * PATH_MAX];
};

/* The requester for a mapped object of this process that `address` lies in (NULL or unknown: the
 * main program), which asks for `name`. */
void cua_requester_mapped(struct cua_requester *requester, const void *address, const char *name);

/* The file that ld.so would open for `name` (without or with a slash) on behalf of `requester`
 * (NULL: a plain program without RPATH). `out`: PATH_MAX bytes, a path that this process can open.
 * 0, -ENOENT, -ENOMEM; -EAGAIN, whatever was found, where something could not be asked that
 * ld.so may find. Does not look at what is mapped. */
int cua_loader_find(const struct cua_subject *subject, const struct cua_requester *requester,
                    const char *name, char *out);

/* Is an object mapped in this process that ld.so takes for `name`? */
bool cua_loader_has(const char *name);

#endif
