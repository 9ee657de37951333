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

#include "view.h"

/* On whose behalf a search is made; "" and NULL fields are skipped. */
struct cua_requester {
    char origin[PATH_MAX]; /* folder of the requesting object, for $ORIGIN in a name; else "" */
    char rpath[4 *
               PATH_MAX]; /* DT_RPATH of it and of those that loaded it, joined by ':', expanded */
    char runpath[4 * PATH_MAX]; /* DT_RUNPATH, expanded */
};

/* The requester for a mapped object of this process that `address` lies in (NULL or unknown: the
 * main program), which asks for `name`. */
void cua_requester_mapped(struct cua_requester *requester, const void *address, const char *name);

/* The file that ld.so would open for `name` (without or with a slash) on behalf of `requester`
 * (NULL: a plain program without RPATH). `out`: PATH_MAX bytes, a path that this process can open.
 * 0, or -ENOENT, -ENOMEM. Does not look at what is mapped. */
int cua_loader_find(const struct cua_view *view, const struct cua_requester *requester,
                    const char *name, char *out);

/* The first bytes of a file, in somebody's memory. */
struct cua_head {
    void *bytes;
    size_t size, have;
};

/* The same for a name without a slash, on behalf of the mapped object that `caller` lies in: the
 * file, open, and its start in `head`. -ENOENT, -ENOMEM. */
int cua_loader_open(const struct cua_view *view, const void *caller, const char *name,
                    struct cua_head *head);

/* Is an object mapped in this process that ld.so takes for `name`? */
bool cua_loader_has(const char *name);

/* Follows the needs of the library `name` as ld.so would load it; stops at libraries that are
 * mapped in this process already (`mapped`: whether to look at those), at 512 libraries and at 32
 * levels. If libcuda.so.1 is among the needs, writes the file that ld.so would take for it to
 * `libcuda` ("" where it would find none) and returns 1; returns 0 if libcuda is not among them,
 * -errno if the library itself cannot be found or read. */
int cua_loader_brings_libcuda(const struct cua_view *view, const struct cua_requester *requester,
                              const char *name, bool mapped, char *libcuda);

/* The mapped libcuda of this process: l_name of the first one in `path` (PATH_MAX), and how many
 * different files of it are mapped. */
size_t cua_mapped_libcuda(char *path);

/* Whether a folder, the first `length` characters of `folder`, is a compat package's by its name,
 * whatever it lies in: toolkits of a module system, conda's cuda-compat. What a folder of another
 * name holds is an ordinary driver until it says otherwise. */
bool cua_folder_is_compat(const char *folder, size_t length);

/* The folders that ld.so and users look into, in order, for umd.c. The callback gets the folder as
 * the judged process names it and the CUA_FOUND_ bit; with CUA_FOUND_MAPPED it gets a file. Entries
 * of LD_LIBRARY_PATH come as they are written, an empty one as ".". Returning non-zero ends the
 * walk. */
int cua_folders_each(const struct cua_view *view,
                     int (*fn)(void *data, const char *folder, unsigned found), void *data);

#endif
