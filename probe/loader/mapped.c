/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/mapped.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "base/text.h"
#include "base/whole.h"

#define EXE "/proc/self/exe"

/* While ld.so's list is held nothing is allocated: an allocator may be somebody's who loads
 * libraries itself. What does not fit is counted, and asked for again. */
struct cua_mapped_copy {
    char *text;
    size_t objects, object_room;
    size_t used, text_room;
    size_t known; /* objects that an earlier reading copied */
    size_t seen;
    bool enough;                   /* what is known is all that is asked for */
    unsigned long long adds, subs; /* ld.so's count of what came and went; adds 0: it has none */
    struct cua_mapped_object object[];
};

/* Nobody's at the moment: whoever reads takes it away and brings it back. */
static struct cua_mapped_copy *_Atomic spare;

static int (*_Atomic iterate_objects)(int (*)(struct dl_phdr_info *, size_t, void *),
                                      void *) = dl_iterate_phdr;

void cua_mapped_iterate(int (*iterate)(int (*)(struct dl_phdr_info *, size_t, void *), void *))
{
    atomic_store(&iterate_objects, iterate);
}

static uint32_t hash(const char *text)
{
    uint32_t value = 5381;

    for (; *text; text++)
        value = value * 33 + (unsigned char)*text;
    return value;
}

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
static const char *string_table(const struct dl_phdr_info *info, ElfW(Addr) value, uintptr_t low,
                                uintptr_t high)
{
    if (value >= low && value < high)
        return (const char *)value;
    value += info->dlpi_addr;
    return value >= low && value < high ? (const char *)value : NULL;
}

static void keep_needs(struct cua_mapped_copy *copy, const ElfW(Dyn) * dynamic, const char *strings)
{
    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        if (dynamic->d_tag == DT_NEEDED)
            keep(copy, strings + dynamic->d_un.d_val);
    }
    keep(copy, "");
}

static void read_dynamic(struct cua_mapped_copy *copy, struct cua_mapped_object *object,
                         const ElfW(Dyn) * dynamic, const struct dl_phdr_info *info)
{
    const ElfW(Dyn) *soname = NULL, *rpath = NULL, *runpath = NULL;
    const char *strings = NULL;

    for (const ElfW(Dyn) *d = dynamic; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_STRTAB)
            strings = string_table(info, d->d_un.d_ptr, object->low, object->high);
        else if (d->d_tag == DT_SONAME)
            soname = d;
        else if (d->d_tag == DT_RPATH)
            rpath = d;
        else if (d->d_tag == DT_RUNPATH)
            runpath = d;
    }
    if (!strings)
        return;
    if (soname)
        object->soname = keep(copy, strings + soname->d_un.d_val);
    if (runpath)
        object->runpath = keep(copy, strings + runpath->d_un.d_val);
    else if (rpath)
        object->rpath = keep(copy, strings + rpath->d_un.d_val);
    object->needs = copy->used < copy->text_room ? copy->text + copy->used : "";
    keep_needs(copy, dynamic, strings);
}

/* Nothing was unloaded: what was copied stands still where it stood, and what is new follows. */
static bool is_unchanged(struct cua_mapped_copy *copy, const struct dl_phdr_info *info, size_t size)
{
    bool counted = size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs;
    unsigned long long adds = counted ? info->dlpi_adds : 0, subs = counted ? info->dlpi_subs : 0;
    bool same = copy->adds && copy->subs == subs;

    if (same && copy->enough)
        return true;
    same &= copy->adds == adds;
    if (!copy->adds || copy->subs != subs)
        copy->known = copy->objects = copy->used = 0;
    copy->adds = adds;
    copy->subs = subs;
    return same;
}

static int read_object(struct dl_phdr_info *info, size_t size, void *data)
{
    struct cua_mapped_object object = {
        .low = UINTPTR_MAX, .soname = "", .rpath = "", .runpath = "", .needs = ""};
    const ElfW(Dyn) *dynamic = NULL;
    struct cua_mapped_copy *copy = data;

    if (copy->seen == 0 && is_unchanged(copy, info, size))
        return 1;
    if (copy->seen++ < copy->known)
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
    object.soname_hash = hash(object.soname);
    object.base_hash = hash(object.base);
    object.libcuda =
        strcmp(object.soname, "libcuda.so.1") == 0 || strcmp(object.soname, "libcuda.so.1.1") == 0;
    if (copy->objects < copy->object_room)
        copy->object[copy->objects] = object;
    copy->objects++;
    return 0;
}

/* A sandbox that lets libraries be loaded need not allow readlink: where the program was started by
 * an absolute path that is no link (nor a script's), that is it. */
static bool is_program(const char *name)
{
    struct stat named, running;

    return name && name[0] == '/' && cua_stat(EXE, &running) == 0 && cua_lstat(name, &named) == 0 &&
           named.st_dev == running.st_dev && named.st_ino == running.st_ino;
}

/* Of a program that ld.so was told to start: the kernel knows ld.so alone, which puts the program's
 * headers in the place of its own. */
static char *find_told(void)
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
    char path[PATH_MAX], *told;
    ssize_t n;

    if (!getauxval(AT_BASE) && (told = find_told()))
        return told;
    if (is_program(name))
        return strdup(name);
    n = readlink(EXE, path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    if (path[0])
        return strdup(path);
    return name ? realpath(name, NULL) : NULL;
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
    copy->objects = copy->used = copy->known = 0;
    copy->adds = copy->subs = 0;
    return copy;
}

static const struct cua_mapped_object *find_by_address(const struct cua_mapped_object *object,
                                                       size_t count, const void *address)
{
    for (size_t i = 0; i < count; i++) {
        if ((uintptr_t)address >= object[i].low && (uintptr_t)address < object[i].high)
            return &object[i];
    }
    return NULL;
}

const struct cua_mapped_object *cua_mapped_at(const struct cua_mapped *mapped, const void *address)
{
    const struct cua_mapped_object *found = find_by_address(mapped->object, mapped->count, address);

    return found ? found : mapped->object;
}

/* Whether the copy would do, provided that nothing was unloaded. */
static bool is_enough(const struct cua_mapped_copy *copy, const void *address)
{
    if (!address)
        return copy->objects > 0;
    return find_by_address(copy->object, copy->objects, address) != NULL;
}

static int read_copy(struct cua_mapped *mapped, bool all, const void *address)
{
    struct cua_mapped_copy *copy = atomic_exchange(&spare, NULL);

    memset(mapped, 0, sizeof *mapped);
    if (!copy)
        copy = make_copy(24, 2 << 10);
    for (int tries = 0; copy && tries < 4; tries++) {
        size_t objects, text;
        copy->known = copy->objects;
        copy->seen = 0;
        copy->enough = !all && is_enough(copy, address);
        atomic_load (&iterate_objects)(read_object, copy);
        objects = copy->objects;
        text = copy->used;
        if (objects <= copy->object_room && text <= copy->text_room) {
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

int cua_mapped_read(struct cua_mapped *mapped)
{
    return read_copy(mapped, true, NULL);
}

int cua_mapped_read_for(struct cua_mapped *mapped, const void *address)
{
    return read_copy(mapped, false, address);
}

void cua_mapped_free(struct cua_mapped *mapped)
{
    free(mapped->copy ? atomic_exchange(&spare, mapped->copy) : NULL);
    memset(mapped, 0, sizeof *mapped);
}

/* ld.so also knows every name that was asked for; the file's own is the best guess at it. */
const struct cua_mapped_object *cua_mapped_find(const struct cua_mapped *mapped, const char *name)
{
    bool path = strchr(name, '/');
    uint32_t wanted = hash(name);

    for (size_t i = 0; i < mapped->count; i++) {
        const struct cua_mapped_object *o = &mapped->object[i];
        if ((o->soname_hash == wanted && strcmp(o->soname, name) == 0) ||
            (path && strcmp(o->name, name) == 0) ||
            (i && o->base_hash == wanted && strcmp(o->base, name) == 0))
            return o;
    }
    return NULL;
}

size_t cua_mapped_libcuda(char *path)
{
    struct cua_mapped mapped;
    struct stat seen[8], st;
    size_t count = 0;

    path[0] = 0;
    if (cua_mapped_read(&mapped) != 0)
        return 0;
    for (size_t i = 0; i < mapped.count && count < 8; i++) {
        bool known = false;
        if (!mapped.object[i].libcuda)
            continue;
        memset(&st, 0, sizeof st);
        if (cua_stat(mapped.object[i].name, &st) != 0)
            st.st_ino = i; /* the file is gone: one of its own */
        for (size_t j = 0; j < count; j++)
            known |= seen[j].st_dev == st.st_dev && seen[j].st_ino == st.st_ino;
        if (known)
            continue;
        if (count == 0)
            cua_copy(path, PATH_MAX, mapped.object[i].name);
        seen[count++] = st;
    }
    cua_mapped_free(&mapped);
    return count;
}
