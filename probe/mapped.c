/* SPDX-License-Identifier: Apache-2.0 */
#include "mapped.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "loader.h"
#include "oldstat.h"
#include "text.h"

/* While ld.so's list is held nothing is allocated: an allocator may be somebody's who loads
 * libraries itself. What does not fit is counted, and asked for again. */
struct copy {
    struct cua_mapped_object *object;
    char *text;
    size_t objects, object_room;
    size_t used, text_room;
    char program[PATH_MAX];
};

static const char *keep(struct copy *copy, const char *text)
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

static void keep_needs(struct copy *copy, const ElfW(Dyn) * dynamic, const char *strings)
{
    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        if (dynamic->d_tag == DT_NEEDED)
            keep(copy, strings + dynamic->d_un.d_val);
    }
    keep(copy, "");
}

static void read_dynamic(struct copy *copy, struct cua_mapped_object *object,
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

static int read_object(struct dl_phdr_info *info, size_t size, void *data)
{
    struct cua_mapped_object object = {UINTPTR_MAX, 0, "", "", "", "", ""};
    const ElfW(Dyn) *dynamic = NULL;
    struct copy *copy = data;

    (void)size;
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
    object.name = keep(copy, copy->objects ? info->dlpi_name : copy->program);
    if (dynamic)
        read_dynamic(copy, &object, dynamic, info);
    if (copy->objects < copy->object_room)
        copy->object[copy->objects] = object;
    copy->objects++;
    return 0;
}

static void find_program(char *path)
{
    ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
    const char *name;

    path[n > 0 ? n : 0] = 0;
    if (path[0])
        return;
    name = (const char *)getauxval(AT_EXECFN);
    if (!name || !realpath(name, path))
        path[0] = 0;
}

int cua_mapped_read(struct cua_mapped *mapped)
{
    size_t objects = 128, text = 32 << 10;
    struct copy *copy = malloc(sizeof *copy);
    int error = -ENOMEM;

    memset(mapped, 0, sizeof *mapped);
    if (!copy)
        return -ENOMEM;
    find_program(copy->program);
    for (int tries = 0; tries < 4; tries++) {
        mapped->memory = malloc(objects * sizeof *mapped->object + text);
        if (!mapped->memory)
            break;
        mapped->object = mapped->memory;
        copy->object = mapped->object;
        copy->text = (char *)(mapped->object + objects);
        copy->objects = copy->used = 0;
        copy->object_room = objects;
        copy->text_room = text;
        dl_iterate_phdr(read_object, copy);
        if (copy->objects <= objects && copy->used <= text) {
            mapped->count = copy->objects;
            error = 0;
            break;
        }
        objects = copy->objects + 64;
        text = copy->used + (16 << 10);
        free(mapped->memory);
        mapped->memory = NULL;
    }
    free(copy);
    if (error)
        cua_mapped_free(mapped);
    return error;
}

void cua_mapped_free(struct cua_mapped *mapped)
{
    free(mapped->memory);
    memset(mapped, 0, sizeof *mapped);
}

/* ld.so also knows every name that was asked for; the file's own is the best guess at it. */
const struct cua_mapped_object *cua_mapped_find(const struct cua_mapped *mapped, const char *name)
{
    for (size_t i = 0; i < mapped->count; i++) {
        const struct cua_mapped_object *o = &mapped->object[i];
        if (strcmp(o->soname, name) == 0 || strcmp(o->name, name) == 0 ||
            (i && strcmp(cua_basename(o->name), name) == 0))
            return o;
    }
    return NULL;
}

static bool is_libcuda(const struct cua_mapped_object *object)
{
    return strcmp(object->soname, "libcuda.so.1") == 0 ||
           strcmp(object->soname, "libcuda.so.1.1") == 0;
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
        if (!is_libcuda(&mapped.object[i]))
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
