/* SPDX-License-Identifier: Apache-2.0 */
/* Carries a driver from one store (folder.h) to another by a file, for machines without a
 * network. */
#ifndef CUA_EXPORT_H
#define CUA_EXPORT_H

#include <stdbool.h>

#include "store/stage.h"

/* Writes a tar of the driver's folder to `file`, compressed as the file's name says. `file` appears
 * when it is complete. An existing file is not replaced; but on some file systems, such as NFS, one
 * that appears meanwhile is. False, with the reason in store->why, if this fails, if the driver is
 * damaged, incomplete or removed, or if other users can write to it. `store` must be open. */
bool cua_export(struct cua_store *store, const char *version, const char *file);

/* Checks an imported driver (stage.h): `manifest`, which lists the staged files, must have the
 * same version, and list the same files with the same content, as the driver's own manifest,
 * CUA_STAGE_MANIFEST. If so, copies the driver's origin (kind, address, checksum, date, licence)
 * from there to `manifest`, and deletes CUA_STAGE_MANIFEST. False, with the reason in
 * stage->store->why. */
bool cua_import(struct cua_stage *stage, struct cua_manifest *manifest);

#endif
