/* SPDX-License-Identifier: Apache-2.0 */
#include "drivers/folder_scan.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "drivers/identity.h"

#define MAX_NAMES 256

struct name {
    char text[61];
    bool link;
    char target[61]; /* of a link: its text, "" where that is no name beside it */
};

struct reading {
    const struct cua_subject *subject;
    const char *folder;
    size_t count;
    char path[PATH_MAX];
    struct name name[MAX_NAMES];
};

static bool is_libcuda(const char *name)
{
    struct cua_version version;
    const char *rest = name + strlen("libcuda.so");

    if (!cua_starts(name, "libcuda.so"))
        return false;
    return !rest[0] || strcmp(rest, ".1") == 0 || strcmp(rest, ".1.1") == 0 ||
           cua_identity_named(name, &version);
}

/* A name, if it is there. */
static void look_for(struct reading *reading, const char *text, unsigned char type)
{
    struct name *name = &reading->name[reading->count];
    const size_t size = sizeof name->target;
    ssize_t n = -EINVAL;

    if (reading->count == MAX_NAMES || !cua_copy(name->text, sizeof name->text, text) ||
        !cua_join(reading->path, sizeof reading->path, reading->folder, text))
        return;
    if (type != DT_REG)
        n = cua_real_readlink(reading->subject, reading->path, name->target, size);
    if (n < 0 && n != -EINVAL)
        return;
    name->link = n >= 0;
    name->target[n > 0 && (size_t)n < size ? n : 0] = 0;
    reading->count++;
}

static int keep_name(void *data, const char *name, unsigned char type)
{
    if (is_libcuda(name))
        look_for(data, name, type);
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

/* The names of a chain of links grow: libcuda.so, libcuda.so.1, libcuda.so.550.54.14. One that
 * leads back may be part of a ring. */
static bool leads_beside(const struct reading *reading, const struct name *link)
{
    for (size_t i = 0; i < reading->count; i++)
        if (strcmp(link->target, reading->name[i].text) == 0)
            return strcmp(link->target, link->text) > 0;
    return false;
}

void cua_scan(const struct cua_scan *scan, const struct cua_subject *subject, const char *folder)
{
    static const char *const names[] = {"libcuda.so", "libcuda.so.1", "libcuda.so.1.1"};
    struct reading *reading = malloc(sizeof *reading);
    char native[sizeof reading->name->text] = "libcuda.so.";

    if (!reading)
        return;
    reading->subject = subject;
    reading->folder = folder;
    reading->count = 0;
    if (!scan->native)
        cua_real_list(subject, folder, keep_name, reading);
    for (size_t i = 0; scan->native && i < (scan->tegra ? 3 : 2); i++)
        look_for(reading, names[i], DT_UNKNOWN);
    if (scan->native && scan->native->text[0] &&
        cua_append(native, sizeof native, scan->native->text))
        look_for(reading, native, DT_UNKNOWN);
    qsort(reading->name, reading->count, sizeof *reading->name, by_name);
    for (size_t i = 0; i < reading->count; i++) {
        const struct name *name = &reading->name[i];
        if (!name->link || !leads_beside(reading, name))
            scan->found(scan->data, name->text, name->link);
    }
    free(reading);
}
