/* SPDX-License-Identifier: Apache-2.0 */
/* Carries a driver from one store (folder.h) to another by a file, for machines without a
 * network. */
#ifndef CUA_EXPORT_H
#define CUA_EXPORT_H

#include <stdbool.h>

#include "store/stage.h"

/* Writes a tar of the driver's folder to `file`, compressed as the file's name says. `file` appears
 * when it is complete; an existing file is not replaced. False, with the reason in store->why, if
 * this fails or the driver is damaged, incomplete or removed. `store` must be open. */
bool cua_export(struct cua_store *store, const char *version, const char *file);

/* Checks a driver that was unpacked from a file that cua_export wrote: whether the unpacked files,
 * which `manifest` lists, are those that the manifest in that file lists. If so, copies what that
 * manifest says about their origin (kind, address, checksum, date, licence) to `manifest`, and
 * deletes it from the staging folder. False, with the reason in stage->store->why. */
bool cua_import(struct cua_stage *stage, struct cua_manifest *manifest);

#endif
