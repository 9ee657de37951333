/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the files of a folder that may be a libcuda. */
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
    /* The files and links that may be a libcuda, without the links to one of these files. Sorted by
     * name, because each file system lists a folder in its own order. */
    struct cua_scanned {
        char text[61];
        bool link;
        char target[61]; /* text of the link; "" for a file, or if the text is too long */
    } name[CUA_SCAN_MAX];
    size_t count;
    char path[PATH_MAX];
    char beside[2048]; /* "/NAME/NAME/": some libnvidia-* files in the folder */
};

/* Lists the folder. If `native` is not NULL, the folder is not read, because it may hold thousands
 * of other files. Then only these names are looked up: libcuda.so, libcuda.so.1, libcuda.so with
 * the version `native`, and if `tegra`, libcuda.so.1.1. */
void cua_scan(struct cua_scan *scan, const struct cua_subject *subject, const char *folder,
              const struct cua_version *native, bool tegra);

#endif
