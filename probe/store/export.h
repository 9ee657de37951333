/* SPDX-License-Identifier: Apache-2.0 */
/* Carries a brought driver from one store to another, by a file: for machines without a way out. */
#ifndef CUA_EXPORT_H
#define CUA_EXPORT_H

#include <stdbool.h>

#include "store/stage.h"

/* Writes the driver `version`, which must be undamaged, to `file`: a tar of its folder, packed as
 * the name says. The file has its name once it is complete; one that is there is not replaced.
 * False, with the reason in store->why. `store` is open. */
bool cua_export(struct cua_store *store, const char *version, const char *file);

/* For a driver that was staged from such a file: whether its files are those that the file's own
 * manifest lists. If so, `manifest`, which lists the staged files, receives their source from the
 * file's manifest. */
bool cua_import(struct cua_stage *stage, struct cua_manifest *manifest);

#endif
