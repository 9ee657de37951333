/* SPDX-License-Identifier: Apache-2.0 */
/* What of a folder may be a libcuda. */
#ifndef CUA_SCAN_H
#define CUA_SCAN_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/version.h"
#include "machine/subject.h"

#define CUA_SCAN_MAX 256

struct cua_scan {
    const struct cua_subject *subject;
    const char *folder; /* as the subject names it */
    /* Every file of such a name, and every link that does not lead to one of them, sorted by name:
     * in what order a folder is read differs from file system to file system. */
    struct cua_scanned {
        char text[61];
        bool link;
        char target[61]; /* of a link: its text, "" where that is not a name beside it */
    } name[CUA_SCAN_MAX];
    size_t count;
    char path[PATH_MAX];
    char beside[2048]; /* "/NAME/NAME/", some of NVIDIA's other files there */
};

/* Of `native`, unless it is NULL, only this version's name and those that lead to a libcuda
 * (`tegra`: to Tegra's too) are looked for, instead of reading the folder, which may hold thousands
 * of others. */
void cua_scan(struct cua_scan *scan, const struct cua_subject *subject, const char *folder,
              const struct cua_version *native, bool tegra);

#endif
