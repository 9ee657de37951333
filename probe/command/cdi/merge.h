/* SPDX-License-Identifier: Apache-2.0 */
/* cuarbiter's mounts in somebody else's CDI specification: the node's, for every GPU container. */
#ifndef CUA_CDI_MERGE_H
#define CUA_CDI_MERGE_H

#include <stdbool.h>

/* Adds the mounts of `folder` to the containerEdits of the specification `file`, or with `remove`
 * takes them out. Twice is the same as once; what is right already is not written. JSON, or YAML as
 * nvidia-ctk writes it. The new text replaces the file by rename. Returns an exit code, after a
 * complaint where it is not 0. */
int cua_cdi_merge(const char *file, const char *folder, bool remove);

#endif
