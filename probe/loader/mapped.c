/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/mapped.h"

#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "loader/ldso_args.h"
#include "machine/asker.h"

#define MOST_OWN 64

static struct cua_mapped mapped;

/* Records an object of this process by its name only, without search paths and needs. That suffices
 * for the command `cuarbiter`, where no process asks. The command calls dlopen only for libarchive
 * and, in a child process, for a driver or NVML. */
static int add_own(struct dl_phdr_info *info, size_t size, void *data)
{
    struct cua_mapped_object *object = data;

    (void)size;
    if (mapped.count == MOST_OWN)
        return 1;
    object += mapped.count;
    object->name = mapped.count && info->dlpi_name ? strdup(info->dlpi_name) : "";
    object->name = object->name ? object->name : "";
    object->base = object->soname = cua_basename(object->name);
    object->rpath = object->needs = "";
    object->runpath = NULL;
    mapped.count++;
    return 0;
}

const struct cua_mapped *cua_mapped(void)
{
    static struct cua_mapped_object own[MOST_OWN];

    if (!mapped.count) {
        mapped.object = own;
        dl_iterate_phdr(add_own, own);
    }
    if (!mapped.count) {
        own[0] = (struct cua_mapped_object){"", "", "", "", NULL, ""};
        mapped.count = 1;
    }
    return &mapped;
}

void cua_mapped_say(const struct cua_mapped_object *object, size_t count)
{
    mapped.object = object;
    mapped.count = count;
}

/* Finds the program's path; NULL or "" if it cannot be determined. If ld.so was executed with the
 * program as its argument, the path is that argument's. Otherwise it is the target of /proc/PID/exe
 * or, if a sandbox forbids reading that link, the path that was executed. */
static char *find_program(void)
{
    const char *given = cua_ldso_args_program();
    char path[PATH_MAX];
    ssize_t n;

    if (given)
        return realpath(given, NULL);
    if (cua_asker.pid)
        return cua_asker.exe[0] ? strdup(cua_asker.exe) : realpath(cua_asker.started, NULL);
    n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    return strdup(path);
}

const char *cua_mapped_program(void)
{
    static char *program;

    if (!program)
        program = find_program();
    return program ? program : "";
}

/* Finds an object by its file name, path or SONAME. ld.so also knows every other name by which an
 * object was requested; those names are not known here. */
const struct cua_mapped_object *cua_mapped_find(const char *name)
{
    const struct cua_mapped *all = cua_mapped();
    bool path = strchr(name, '/');

    for (size_t i = 0; i < all->count; i++) {
        const struct cua_mapped_object *o = &all->object[i];
        if (strcmp(o->soname, name) == 0 || (path && strcmp(o->name, name) == 0) ||
            (i && strcmp(o->base, name) == 0))
            return o;
    }
    return NULL;
}

bool cua_mapped_needs(const struct cua_mapped_object *object,
                      const struct cua_mapped_object *needed)
{
    for (const char *need = object->needs; *need; need += strlen(need) + 1)
        if (strcmp(need, needed->soname) == 0 || strcmp(need, needed->name) == 0 ||
            strcmp(need, needed->base) == 0)
            return true;
    return false;
}

bool cua_mapped_libcuda(char *path)
{
    const struct cua_mapped *all = cua_mapped();

    path[0] = 0;
    for (size_t i = 0; i < all->count && !path[0]; i++) {
        const struct cua_mapped_object *o = &all->object[i];
        if (strcmp(o->soname, "libcuda.so.1") == 0 || strcmp(o->soname, "libcuda.so.1.1") == 0)
            cua_copy(path, PATH_MAX, o->name);
    }
    return path[0];
}
