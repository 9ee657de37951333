/* SPDX-License-Identifier: Apache-2.0 */
#include "drivers/folder_scan.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "drivers/identity.h"

static bool is_libcuda(const char *name)
{
    struct cua_version version;

    return strcmp(name, "libcuda.so") == 0 || strcmp(name, "libcuda.so.1") == 0 ||
           strcmp(name, "libcuda.so.1.1") == 0 || cua_identity_named(name, &version);
}

/* Adds a name to scan->name, if it exists in the folder and there is room. `type`: its DT_ value;
 * DT_UNKNOWN: not known. */
static void look_for(struct cua_scan *scan, const char *text, unsigned char type)
{
    struct cua_scanned *name = &scan->name[scan->count];
    const size_t size = sizeof name->target;
    ssize_t n = -EINVAL;

    if (scan->count == CUA_SCAN_MAX || !cua_copy(name->text, sizeof name->text, text) ||
        !cua_join(scan->path, sizeof scan->path, scan->folder, text))
        return;
    if (type != DT_REG)
        n = cua_subject_readlink(scan->subject, scan->path, name->target, size);
    if (n < 0 && n != -EINVAL)
        return;
    name->link = n >= 0;
    name->target[n > 0 && (size_t)n < size ? n : 0] = 0;
    scan->count++;
}

static int keep_name(void *data, const char *name, unsigned char type)
{
    struct cua_scan *scan = data;

    if (is_libcuda(name))
        look_for(scan, name, type);
    else if (type == DT_REG && cua_starts(name, "libnvidia-") &&
             cua_append(scan->beside, sizeof scan->beside, name))
        cua_append(scan->beside, sizeof scan->beside, "/");
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct cua_scanned *)a)->text, ((const struct cua_scanned *)b)->text);
}

/* Whether a link leads to a name in scan->name that sorts after its own. A chain of links is in
 * that order: libcuda.so, libcuda.so.1, libcuda.so.550.54.14. A link in the other direction does
 * not count, because it may be part of a loop. */
static bool leads_beside(const struct cua_scan *scan, const struct cua_scanned *link)
{
    const struct cua_scanned *name = link + 1;

    while (name < scan->name + scan->count && strcmp(link->target, name->text) != 0)
        name++;
    return link->link && name < scan->name + scan->count;
}

void cua_scan(struct cua_scan *scan, const struct cua_subject *subject, const char *folder,
              const struct cua_version *native, bool tegra)
{
    static const char *const names[] = {"libcuda.so", "libcuda.so.1", "libcuda.so.1.1"};
    char own[sizeof scan->name->text] = "libcuda.so.";
    size_t kept = 0;

    scan->subject = subject;
    scan->folder = folder;
    scan->count = 0;
    cua_copy(scan->beside, sizeof scan->beside, "/");
    if (!native)
        cua_subject_list(subject, folder, keep_name, scan);
    for (size_t i = 0; native && i < (tegra ? 3 : 2); i++)
        look_for(scan, names[i], DT_UNKNOWN);
    if (native && native->text[0] && cua_append(own, sizeof own, native->text))
        look_for(scan, own, DT_UNKNOWN);
    qsort(scan->name, scan->count, sizeof *scan->name, by_name);
    for (size_t i = 0; i < scan->count; i++)
        if (!leads_beside(scan, &scan->name[i]))
            scan->name[kept++] = scan->name[i];
    scan->count = kept;
}
