/* SPDX-License-Identifier: Apache-2.0 */
/* Puts cuarbiter's hook into the CDI specifications of other tools, so that it runs for every GPU
 * container of the node. */
#ifndef CUA_CDI_MERGE_H
#define CUA_CDI_MERGE_H

#include <stdbool.h>

/* Puts `hook`, a JSON object on one line, into the specification `file`; NULL: takes it out. Doing
 * it again changes nothing, and a file that is already right is not written. The new text replaces
 * the file in one step, and no change by another program is lost. Returns an exit code; prints an
 * error message if it is not 0. `quiet`: prints nothing if there is nothing to do. */
int cua_cdi_merge(const char *file, const char *hook, bool quiet);

/* The paths of the specifications that NVIDIA's tools write, then NULL. */
#define CUA_CDI_KNOWN 4
extern const char *const cua_cdi_known[CUA_CDI_KNOWN + 1];

/* The same for each of those specifications that exists. */
int cua_cdi_merge_all(const char *hook);

#endif
