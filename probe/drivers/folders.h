/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the folders where a libcuda may lie, in the order in which `cuarbiter status` shows them.
 * The subject is the process that is examined (machine/subject.h). A compat folder is one in which
 * a package, such as NVIDIA's cuda-compat, installs a libcuda that is newer than the kernel
 * driver. */
#ifndef CUA_FOLDERS_H
#define CUA_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include "machine/subject.h"

/* Whether the path of a folder, the first `length` characters of `folder`, ends like that of a
 * compat folder, such as /usr/local/cuda/compat. The rest of the path does not matter, because
 * module systems and conda have places of their own. A file in any other folder counts as an
 * ordinary driver until its content shows otherwise. */
bool cua_folder_is_compat(const char *folder, size_t length);

/* Calls `fn` for each folder where ld.so or users look for a libcuda, in order, with the folder's
 * path in the subject and its CUA_FOUND_ bits (facts/facts.h). With CUA_FOUND_MAPPED, `folder` is a
 * file. Entries of LD_LIBRARY_PATH are passed as they are written, an empty one as ".". If `fn`
 * returns non-zero, stops and returns that value; otherwise returns 0, or -ENOMEM. */
int cua_folders_each(const struct cua_subject *subject,
                     int (*fn)(void *data, const char *folder, unsigned found), void *data);

/* Whether LD_LIBRARY_PATH names a compat folder, or a toolkit or conda has a compat folder in its
 * usual place. A usual place on another mount than the root's (cua_subject_is_near) is not looked
 * at, because that could block. */
bool cua_folders_bundle(const struct cua_subject *subject);

#endif
