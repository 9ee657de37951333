/* SPDX-License-Identifier: Apache-2.0 */
/* Where a libcuda may lie, in the order in which status shows it. */
#ifndef CUA_FOLDERS_H
#define CUA_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include "machine/subject.h"

/* Whether a folder, the first `length` characters of `folder`, is a compat package's by its name,
 * whatever it lies in: toolkits of a module system, conda's cuda-compat. What a folder of another
 * name holds is an ordinary driver until it says otherwise. */
bool cua_folder_is_compat(const char *folder, size_t length);

/* The folders that ld.so and users look into, in order. The callback gets the folder as
 * the judged process names it and the CUA_FOUND_ bit; with CUA_FOUND_MAPPED it gets a file. Entries
 * of LD_LIBRARY_PATH come as they are written, an empty one as ".". Returning non-zero ends the
 * walk. */
int cua_folders_each(const struct cua_subject *subject,
                     int (*fn)(void *data, const char *folder, unsigned found), void *data);

#endif
