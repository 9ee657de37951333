/* SPDX-License-Identifier: Apache-2.0 */
#include "drivers/folder_scan.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drivers/identity.h"
#include "base/listing.h"
#include "base/oldstat.h"
#include "loader/search.h"
#include "base/text.h"

#define MAX_NAMES 256

/* A name in a folder; a file system need not say what it is (DT_UNKNOWN). */
struct name {
    char text[61];
    unsigned char type;
    bool followed, beside; /* of a link: it was read, and leads to a file of this folder */
    char target[61];       /* of a link: its text, "" where it was not read */
};

struct reading {
    const struct cua_subject *subject;
    const char *folder;
    struct name *name;
    size_t count, room;
    bool subfolders;
    char path[PATH_MAX];
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

static struct name *add_name(struct reading *reading, const char *text, unsigned char type)
{
    struct name *name;

    if (reading->count == reading->room) {
        size_t room = reading->room ? 4 * reading->room : 4;
        name = room <= MAX_NAMES ? realloc(reading->name, room * sizeof *name) : NULL;
        if (!name)
            return NULL;
        reading->name = name;
        reading->room = room;
    }
    name = &reading->name[reading->count];
    if (!cua_copy(name->text, sizeof name->text, text))
        return NULL;
    name->type = type;
    name->followed = name->beside = false;
    name->target[0] = 0;
    reading->count++;
    return name;
}

static int keep_name(void *data, const char *name, unsigned char type)
{
    struct reading *reading = data;

    reading->subfolders = reading->subfolders || cua_search_is_subfolder(name);
    return is_libcuda(name) && strlen(name) < sizeof reading->name->text &&
           !add_name(reading, name, type);
}

/* A link's text; of one that is too long for a name beside it, "". -EINVAL: it is there, and no
 * link. */
static int read_link(struct reading *reading, const char *text, char *target, size_t size)
{
    ssize_t n;

    target[0] = 0;
    if (!cua_join(reading->path, sizeof reading->path, reading->folder, text))
        return -ENAMETOOLONG;
    n = cua_real_readlink(reading->subject, reading->path, target, size);
    target[n > 0 && (size_t)n < size ? n : 0] = 0;
    return (int)n;
}

static void look_for(struct reading *reading, const char *text)
{
    char target[sizeof reading->name->target];
    int link = read_link(reading, text, target, sizeof target);
    struct name *name = NULL;

    if (link >= 0 || link == -EINVAL)
        name = add_name(reading, text, link >= 0 ? DT_LNK : DT_REG);
    if (name)
        memcpy(name->target, target, sizeof target);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

/* Whether the link leads to a file beside it that is looked at itself, over few links. What was
 * found out of one is kept: others lead to the same. */
static bool leads_beside(struct reading *reading, size_t link, int hops)
{
    struct name *name = &reading->name[link];
    size_t next = 0;

    if (name->type == DT_LNK && !name->followed && hops) {
        name->followed = true;
        if (!name->target[0])
            read_link(reading, name->text, name->target, sizeof name->target);
        while (next < reading->count && strcmp(name->target, reading->name[next].text) != 0)
            next++;
        name->beside = next < reading->count && leads_beside(reading, next, hops - 1);
    }
    return name->type == DT_REG || name->beside;
}

static bool is_link(const struct reading *reading, const struct name *name)
{
    struct stat st;

    if (name->type != DT_UNKNOWN)
        return name->type == DT_LNK;
    return cua_real_lstat(reading->subject, reading->path, &st) == 0 && S_ISLNK(st.st_mode);
}

static struct reading *start(const struct cua_subject *subject, const char *folder)
{
    struct reading *reading = malloc(sizeof *reading);

    if (!reading)
        return NULL;
    reading->subject = subject;
    reading->folder = folder;
    reading->name = NULL;
    reading->count = reading->room = 0;
    reading->subfolders = false;
    return reading;
}

static void finish(struct cua_scan *scan, struct reading *reading)
{
    if (reading->count)
        qsort(reading->name, reading->count, sizeof *reading->name, by_name);
    for (size_t i = 0; i < reading->count; i++) {
        if ((reading->name[i].type == DT_LNK && leads_beside(reading, i, 3)) ||
            !cua_join(reading->path, sizeof reading->path, reading->folder, reading->name[i].text))
            continue;
        scan->found(scan->data, reading->path, is_link(reading, &reading->name[i]));
    }
    free(reading->name);
    free(reading);
}

void cua_scan(struct cua_scan *scan, const struct cua_subject *subject, const char *folder)
{
    struct reading *reading = start(subject, folder);

    scan->subfolders = true;
    if (!reading)
        return;
    /* One that was not read to its end may have any. */
    scan->subfolders =
        cua_real_list(subject, folder, keep_name, reading) != 0 || reading->subfolders;
    finish(scan, reading);
}

void cua_scan_names(struct cua_scan *scan, const struct cua_subject *subject, const char *folder,
                    const struct cua_version *version, bool tegra)
{
    struct reading *reading = start(subject, folder);
    char name[sizeof reading->name->text] = "libcuda.so.";

    scan->subfolders = true;
    if (!reading)
        return;
    look_for(reading, "libcuda.so");
    look_for(reading, "libcuda.so.1");
    if (tegra)
        look_for(reading, "libcuda.so.1.1");
    if (version->text[0] && cua_append(name, sizeof name, version->text))
        look_for(reading, name);
    finish(scan, reading);
}
