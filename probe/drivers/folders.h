/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the folders where a libcuda may lie. `cuarbiter status` shows the files in them in the
 * list's order, after the file that CUARBITER_LIBCUDA names, the loader's choice and the native
 * driver. The subject is the process that is examined (machine/subject.h). A compat folder is one
 * in which a package, such as NVIDIA's cuda-compat, installs a libcuda that is newer than the
 * kernel driver. */
#ifndef CUA_FOLDERS_H
#define CUA_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include "machine/subject.h"

/* Whether a folder's path (the first `length` characters of `folder`) ends like that of a compat
 * folder, such as /usr/local/cuda/compat. The beginning does not matter, because module systems and
 * conda install elsewhere. A file in any other folder counts as an ordinary driver until its
 * content shows otherwise. */
bool cua_folder_is_compat(const char *folder, size_t length);

/* Calls `fn` for each folder where ld.so or users look for a libcuda, in order. `found`: bits of
 * enum cua_found (facts/facts.h). `folder`: the folder's path in the subject; with
 * CUA_FOUND_MAPPED, the path of a mapped libcuda. An entry of LD_LIBRARY_PATH is passed as it is
 * written, an empty one as ".". If `fn` returns non-zero, stops and returns that value; otherwise
 * returns 0, or -ENOMEM. */
int cua_folders_each(const struct cua_subject *subject,
                     int (*fn)(void *data, const char *folder, unsigned found), void *data);

/* Whether LD_LIBRARY_PATH names a compat folder, or a toolkit or conda has a compat folder in its
 * usual place. Skips a usual place on a mount other than the root's (cua_subject_is_near), because
 * looking there could block. The folder in LD_LIBRARY_PATH may be missing; conda's too, if
 * cua_subject_is_near cannot find out whether it is there. */
bool cua_folders_bundle(const struct cua_subject *subject);

#endif
