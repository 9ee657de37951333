/* SPDX-License-Identifier: Apache-2.0 */
#include "scan.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "identity.h"
#include "listing.h"
#include "oldstat.h"
#include "search.h"
#include "text.h"

#define MAX_NAMES 256

/* A name in a folder; a file system need not say what it is (DT_UNKNOWN). */
struct name {
    char text[61];
    unsigned char type;
    bool followed, beside; /* of a link: it was read, and leads to a file of this folder */
};

struct reading {
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

static int keep_name(void *data, const char *name, unsigned char type)
{
    struct reading *reading = data;
    struct name *one;

    reading->subfolders = reading->subfolders || cua_search_is_subfolder(name);
    if (!is_libcuda(name) || strlen(name) >= sizeof one->text)
        return 0;
    if (reading->count == reading->room) {
        size_t room = reading->room ? 4 * reading->room : 4;
        one = room <= MAX_NAMES ? realloc(reading->name, room * sizeof *one) : NULL;
        if (!one)
            return 1;
        reading->name = one;
        reading->room = room;
    }
    one = &reading->name[reading->count++];
    strcpy(one->text, name);
    one->type = type;
    one->followed = one->beside = false;
    return 0;
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
    char target[64];
    ssize_t n = -1;
    size_t next = 0;

    if (name->type == DT_LNK && !name->followed && hops) {
        name->followed = true;
        if (cua_join(reading->path, sizeof reading->path, reading->folder, name->text))
            n = readlink(reading->path, target, sizeof target - 1);
        target[n > 0 ? n : 0] = 0;
        while (next < reading->count && strcmp(target, reading->name[next].text) != 0)
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
    return cua_lstat(reading->path, &st) == 0 && S_ISLNK(st.st_mode);
}

void cua_scan(struct cua_scan *scan, const char *folder)
{
    struct reading *reading = malloc(sizeof *reading);

    scan->subfolders = true;
    if (!reading)
        return;
    reading->folder = folder;
    reading->name = NULL;
    reading->count = reading->room = 0;
    reading->subfolders = false;
    /* One that was not read to its end may have any. */
    scan->subfolders = cua_list(folder, keep_name, reading) != 0 || reading->subfolders;
    if (reading->count)
        qsort(reading->name, reading->count, sizeof *reading->name, by_name);
    for (size_t i = 0; i < reading->count; i++) {
        if ((reading->name[i].type == DT_LNK && leads_beside(reading, i, 3)) ||
            !cua_join(reading->path, sizeof reading->path, folder, reading->name[i].text))
            continue;
        scan->found(scan->data, reading->path, is_link(reading, &reading->name[i]));
    }
    free(reading->name);
    free(reading);
}
