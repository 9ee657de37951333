/* SPDX-License-Identifier: Apache-2.0 */
/* Lists where a libcuda may lie, in the order in which `status` shows it. */
#ifndef CUA_FOLDERS_H
#define CUA_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include "machine/subject.h"

/* Whether a folder, the first `length` characters of `folder`, has the name of a compat package's
 * folder, wherever it lies: below the toolkits of a module system, or conda's cuda-compat. A file
 * in a folder of another name is treated as an ordinary driver until its content shows
 * otherwise. */
bool cua_folder_is_compat(const char *folder, size_t length);

/* Walks the folders that ld.so and users look into, in order. `fn` gets the folder, as the examined
 * process names it, and its CUA_FOUND_ bit; with CUA_FOUND_MAPPED it gets a file. Entries of
 * LD_LIBRARY_PATH are passed as they are written, an empty one as ".". If `fn` returns non-zero,
 * the walk ends. */
int cua_folders_each(const struct cua_subject *subject,
                     int (*fn)(void *data, const char *folder, unsigned found), void *data);

/* Whether there is a compat folder: one of that name in LD_LIBRARY_PATH, or one where toolkits and
 * conda have theirs, if those places are near (cua_subject_is_near). */
bool cua_folders_bundle(const struct cua_subject *subject);

#endif
