/* SPDX-License-Identifier: Apache-2.0 */
/* Lists those files of a folder that may be a libcuda. The subject is the process that is examined
 * (machine/subject.h). */
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
    const char *folder; /* the folder's path, as the subject names it */
    /* The files and links in the folder whose names may be a libcuda's. A link is left out if it
     * leads to a later name in this list. Sorted, because each file system lists a folder in its
     * own order. */
    struct cua_scanned {
        char text[61];
        bool link;
        char target[61]; /* where the link leads; "" for a file, or a target that is too long */
    } name[CUA_SCAN_MAX];
    size_t count;
    char path[PATH_MAX];
    char beside[2048]; /* names of the folder's libnvidia-*, each between slashes */
};

/* Fills in `scan` for the folder. If `native` is NULL, lists the folder. Otherwise `native` is the
 * kernel driver's version, and only these names are looked up, because the folder may hold
 * thousands of files:
 * - libcuda.so
 * - libcuda.so.1
 * - libcuda.so.VERSION, with the version `native` if it is known
 * - libcuda.so.1.1, if `tegra` */
void cua_scan(struct cua_scan *scan, const struct cua_subject *subject, const char *folder,
              const struct cua_version *native, bool tegra);

#endif
