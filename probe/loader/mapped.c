/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/mapped.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "base/text.h"
#include "base/whole.h"

#define EXE "/proc/self/exe"

/* Nothing is allocated while ld.so's list is locked: the program's allocator may load libraries
 * itself. What does not fit is counted, and read again with more room. */
struct cua_mapped_copy {
    char *text;
    size_t objects, object_room;
    size_t used, text_room;
    size_t seen; /* of ld.so's list, of which an earlier reading may have copied the first ones */
    unsigned long long adds, subs; /* ld.so's counts, of all namespaces; adds 0: it has none */
    struct cua_mapped_object object[];
};

/* A spare copy, taken and returned by atomic exchange: no lock has to survive a fork. */
static struct cua_mapped_copy *_Atomic spare;

int (*_Atomic cua_mapped_iterate)(int (*)(struct dl_phdr_info *, size_t, void *),
                                  void *) = dl_iterate_phdr;

static const char *keep(struct cua_mapped_copy *copy, const char *text)
{
    size_t size = strlen(text) + 1;
    const char *kept = "";

    if (copy->used + size <= copy->text_room) {
        memcpy(copy->text + copy->used, text, size);
        kept = copy->text + copy->used;
    }
    copy->used += size;
    return kept;
}

/* ld.so relocates these pointers in most objects, not in the vDSO, nor where the section cannot be
 * written. */
static const char *string_table(const struct dl_phdr_info *info,
                                const struct cua_mapped_object *object, ElfW(Addr) value)
{
    if (value < object->low || value >= object->high)
        value += info->dlpi_addr;
    return value >= object->low && value < object->high ? (const char *)value : NULL;
}

static void read_dynamic(struct cua_mapped_copy *copy, struct cua_mapped_object *object,
                         const ElfW(Dyn) * dynamic, const struct dl_phdr_info *info)
{
    const char *strings = NULL;

    for (const ElfW(Dyn) *d = dynamic; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB)
            strings = string_table(info, object, d->d_un.d_ptr);
    if (!strings)
        return;
    for (const ElfW(Dyn) *d = dynamic; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_SONAME)
            object->soname = keep(copy, strings + d->d_un.d_val);
        else if (d->d_tag == DT_RPATH)
            object->rpath = keep(copy, strings + d->d_un.d_val);
        else if (d->d_tag == DT_RUNPATH)
            object->runpath = keep(copy, strings + d->d_un.d_val);
    }
    if (object->runpath)
        object->rpath = "";
    object->needs = copy->used < copy->text_room ? copy->text + copy->used : "";
    for (const ElfW(Dyn) *d = dynamic; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED)
            keep(copy, strings + d->d_un.d_val);
    keep(copy, "");
}

/* Only where nothing was loaded does subs tell: other namespaces take it up and down. */
static bool is_unchanged(struct cua_mapped_copy *copy, const struct dl_phdr_info *info)
{
    bool same = copy->adds && copy->adds == info->dlpi_adds && copy->subs == info->dlpi_subs;

    if (!copy->adds)
        copy->objects = copy->used = 0;
    copy->adds = info->dlpi_adds;
    copy->subs = info->dlpi_subs;
    return same;
}

static int read_object(struct dl_phdr_info *info, size_t size, void *data)
{
    struct cua_mapped_object object = {.low = UINTPTR_MAX, .soname = "", .rpath = "", .needs = ""};
    const ElfW(Dyn) *dynamic = NULL;
    struct cua_mapped_copy *copy = data;

    (void)size;
    if (copy->seen == 0 && is_unchanged(copy, info))
        return 1;
    if (copy->seen++ < copy->objects)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)start;
        if (p->p_type != PT_LOAD)
            continue;
        object.low = start < object.low ? start : object.low;
        object.high = start + p->p_memsz > object.high ? start + p->p_memsz : object.high;
    }
    object.name = keep(copy, copy->objects ? info->dlpi_name : "");
    object.base = cua_basename(object.name);
    if (dynamic)
        read_dynamic(copy, &object, dynamic, info);
    if (copy->objects < copy->object_room)
        copy->object[copy->objects] = object;
    copy->objects++;
    return 0;
}

/* A sandbox that lets libraries be loaded need not allow readlink: where the program was started by
 * an absolute path that is not a link (nor a script's), that is it. */
static bool is_program(const char *name)
{
    struct stat named, running;

    return name && name[0] == '/' && cua_stat(EXE, &running) == 0 && cua_lstat(name, &named) == 0 &&
           named.st_dev == running.st_dev && named.st_ino == running.st_ino;
}

/* The program that `ld.so PROGRAM` runs: the kernel knows only ld.so, which points AT_PHDR at the
 * program's headers. */
static char *find_started(void)
{
    char *maps = cua_whole_file("/proc/self/maps", 4 << 20, NULL), *found = NULL;
    uintptr_t headers = getauxval(AT_PHDR);

    for (char *line = maps, *end; line && (end = strchr(line, '\n')) && !found; line = end + 1) {
        char *at;
        uintptr_t low = strtoul(line, &at, 16);
        *end = 0;
        if (headers >= low && headers < strtoul(at + 1, NULL, 16) && (at = strchr(at, '/')))
            found = strdup(at);
    }
    free(maps);
    return found;
}

static char *find_program(void)
{
    const char *name = (const char *)getauxval(AT_EXECFN);
    char path[PATH_MAX], *started;
    ssize_t n;

    if (!getauxval(AT_BASE) && (started = find_started()))
        return started;
    if (is_program(name))
        return strdup(name);
    n = readlink(EXE, path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    return path[0] ? strdup(path) : name ? realpath(name, NULL) : NULL;
}

const char *cua_mapped_program(void)
{
    static char *_Atomic program;
    char *known = atomic_load(&program), *found;

    if (known || !(found = find_program()))
        return known ? known : "";
    if (atomic_compare_exchange_strong(&program, &known, found))
        return found;
    free(found);
    return known;
}

static struct cua_mapped_copy *make_copy(size_t objects, size_t text)
{
    struct cua_mapped_copy *copy = malloc(sizeof *copy + objects * sizeof *copy->object + text);

    if (!copy)
        return NULL;
    copy->text = (char *)(copy->object + objects);
    copy->object_room = objects;
    copy->text_room = text;
    copy->objects = copy->used = 0;
    copy->adds = copy->subs = 0;
    return copy;
}

const struct cua_mapped_object *cua_mapped_at(const struct cua_mapped *mapped, const void *address)
{
    const struct cua_mapped_object *object = mapped->object;

    for (size_t i = 0; i < mapped->count; i++)
        if ((uintptr_t)address >= object[i].low && (uintptr_t)address < object[i].high)
            return &object[i];
    return object;
}

int cua_mapped_visit(int (*visit)(struct dl_phdr_info *, size_t, void *), void *arg)
{
    /* Called as it is, gcc 12 reads an _Atomic pointer as an ordinary one. */
    int (*iterate)(int (*)(struct dl_phdr_info *, size_t, void *), void *) = cua_mapped_iterate;

    return iterate(visit, arg);
}

int cua_mapped_read(struct cua_mapped *mapped)
{
    struct cua_mapped_copy *copy = atomic_exchange(&spare, NULL);

    memset(mapped, 0, sizeof *mapped);
    if (!copy)
        copy = make_copy(24, 2 << 10);
    for (int tries = 0; copy && tries < 4; tries++) {
        size_t objects = copy->objects, text;
        unsigned long long adds = copy->adds;
        copy->seen = 0;
        cua_mapped_visit(read_object, copy);
        /* If it did not grow by as many as were loaded, some may have gone: all of it again. */
        if (objects && copy->seen && copy->seen - objects != copy->adds - adds)
            copy->objects = copy->used = copy->adds = 0;
        objects = copy->objects;
        text = copy->used;
        if (objects && objects <= copy->object_room && text <= copy->text_room) {
            mapped->object = copy->object;
            mapped->count = objects;
            mapped->copy = copy;
            return 0;
        }
        free(copy);
        copy = make_copy(objects * 2, text * 2);
    }
    free(copy);
    return -ENOMEM;
}

void cua_mapped_free(struct cua_mapped *mapped)
{
    free(mapped->copy ? atomic_exchange(&spare, mapped->copy) : NULL);
    memset(mapped, 0, sizeof *mapped);
}

/* ld.so also matches every name that was ever requested; the file's own is the best guess. */
const struct cua_mapped_object *cua_mapped_find(const struct cua_mapped *mapped, const char *name)
{
    bool path = strchr(name, '/');

    for (size_t i = 0; i < mapped->count; i++) {
        const struct cua_mapped_object *o = &mapped->object[i];
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

bool cua_mapped_has(const char *name)
{
    struct cua_mapped mapped;
    bool has;

    if (cua_mapped_read(&mapped) != 0)
        return false;
    has = cua_mapped_find(&mapped, name);
    cua_mapped_free(&mapped);
    return has;
}

bool cua_mapped_libcuda(char *path)
{
    struct cua_mapped mapped;

    path[0] = 0;
    if (cua_mapped_read(&mapped) != 0)
        return false;
    for (size_t i = 0; i < mapped.count && !path[0]; i++) {
        const struct cua_mapped_object *o = &mapped.object[i];
        if (strcmp(o->soname, "libcuda.so.1") == 0 || strcmp(o->soname, "libcuda.so.1.1") == 0)
            cua_copy(path, PATH_MAX, o->name);
    }
    cua_mapped_free(&mapped);
    return path[0];
}
