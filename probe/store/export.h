/* SPDX-License-Identifier: Apache-2.0 */
/* Carries a driver from one store to another by a file: for machines without a network. */
#ifndef CUA_EXPORT_H
#define CUA_EXPORT_H

#include <stdbool.h>

#include "store/stage.h"

/* Writes a tar of the driver's folder to `file`, compressed as the file's name says. `file` appears
 * when it is complete; an existing file is not replaced. False, with the reason in store->why; one
 * reason is that the driver is damaged. `store` must be open. */
bool cua_export(struct cua_store *store, const char *version, const char *file);

/* Checks a driver that was unpacked from a file of cua_export: whether its files are those that the
 * manifest in that file lists. If so, `manifest`, which lists the unpacked files, receives their
 * source from the manifest in the file. */
bool cua_import(struct cua_stage *stage, struct cua_manifest *manifest);

#endif
