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
    /* Every file with such a name, and every link that does not lead to one of them. Sorted by
     * name, because each file system lists a folder in its own order. */
    struct cua_scanned {
        char text[61];
        bool link;
        char target[61]; /* the text of a link; "" if it does not name a file in the same folder */
    } name[CUA_SCAN_MAX];
    size_t count;
    char path[PATH_MAX];
    char beside[2048]; /* "/NAME/NAME/": some of NVIDIA's other files in the folder */
};

/* Lists the folder. If `native` is not NULL, the folder is not read, since it may hold thousands of
 * other files: only the name with this version, and the names that lead to a libcuda, are looked up
 * (`tegra`: Tegra's names too). */
void cua_scan(struct cua_scan *scan, const struct cua_subject *subject, const char *folder,
              const struct cua_version *native, bool tegra);

#endif
