/* SPDX-License-Identifier: Apache-2.0 */
/* What of a folder may be a libcuda. */
#ifndef CUA_SCAN_H
#define CUA_SCAN_H

#include <limits.h>
#include <stdbool.h>

#include "base/version.h"
#include "machine/subject.h"

struct cua_scan {
    /* Called for every file of such a name, and for every link that does not lead to one of them,
     * sorted by name: in what order a folder is read differs from file system to file system.
     * `path` may be changed. */
    void (*found)(void *data, char *path, bool link);
    void *data;
    bool subfolders; /* there is something that ld.so would look for libraries in */
};

/* Reads `folder`. 256 files at most. */
void cua_scan(struct cua_scan *scan, const struct cua_subject *subject, const char *folder);

/* Looks for the names that lead to a libcuda (`tegra`: to Tegra's too), and for `version`'s,
 * instead of reading the folder, which may hold thousands of others. */
void cua_scan_names(struct cua_scan *scan, const struct cua_subject *subject, const char *folder,
                    const struct cua_version *version, bool tegra);

#endif
