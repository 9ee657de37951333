/* SPDX-License-Identifier: Apache-2.0 */
/* What of a folder may be a libcuda. */
#ifndef CUA_SCAN_H
#define CUA_SCAN_H

#include <stdbool.h>

#include "base/version.h"
#include "machine/subject.h"

struct cua_scan {
    /* Called for every file of such a name, and for every link that does not lead to one of them,
     * sorted by name: in what order a folder is read differs from file system to file system. */
    void (*found)(void *data, const char *name, bool link);
    void *data;
    /* Not NULL: only the names that lead to a libcuda (`tegra`: to Tegra's too) and this version's
     * are looked for, instead of reading the folder, which may hold thousands of others. */
    const struct cua_version *native;
    bool tegra;
};

/* 256 names at most. */
void cua_scan(const struct cua_scan *scan, const struct cua_subject *subject, const char *folder);

#endif
