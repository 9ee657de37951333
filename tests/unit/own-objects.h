/* SPDX-License-Identifier: Apache-2.0 */
/* Makes this process the one that asks, by what the shim would say of it. */
#ifndef CUA_TESTS_OWN_OBJECTS_H
#define CUA_TESTS_OWN_OBJECTS_H

#include <gnu/libc-version.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/text.h"
#include "loader/mapped.h"
#include "machine/asker.h"

static struct cua_mapped_object own_object[256];
static uintptr_t own_low[256], own_high[256];
static size_t own_objects;

static void read_own_dynamic(struct cua_mapped_object *object, const ElfW(Dyn) * dynamic,
                             uintptr_t low, uintptr_t high, uintptr_t base)
{
    const char *strings = NULL;
    static char all[256][4096];
    char *needs = memset(all[own_objects], 0, sizeof(*all)), *to = needs;

    for (const ElfW(Dyn) *d = dynamic; d->d_tag; d++)
        if (d->d_tag == DT_STRTAB)
            strings =
                (const char *)(d->d_un.d_ptr >= low && d->d_un.d_ptr < high ? d->d_un.d_ptr
                                                                            : d->d_un.d_ptr + base);
    for (const ElfW(Dyn) *d = dynamic; strings && d->d_tag; d++) {
        const char *text = strings + d->d_un.d_val;
        if (d->d_tag == DT_SONAME)
            object->soname = text;
        else if (d->d_tag == DT_RUNPATH)
            object->runpath = text;
        else if (d->d_tag == DT_RPATH)
            object->rpath = text;
        else if (d->d_tag == DT_NEEDED)
            to = stpcpy(to, text) + 1;
    }
    object->needs = needs;
}

static int add_own_object(struct dl_phdr_info *info, size_t size, void *data)
{
    struct cua_mapped_object *object = &own_object[own_objects];
    uintptr_t low = UINTPTR_MAX, high = 0;
    const ElfW(Dyn) *dynamic = NULL;

    (void)size, (void)data;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)start;
        if (p->p_type != PT_LOAD)
            continue;
        low = start < low ? start : low;
        high = start + p->p_memsz > high ? start + p->p_memsz : high;
    }
    *object = (struct cua_mapped_object){
        .name = own_objects ? info->dlpi_name : "", .soname = "", .rpath = "", .needs = ""};
    object->base = cua_basename(object->name);
    if (dynamic)
        read_own_dynamic(object, dynamic, low, high, info->dlpi_addr);
    own_low[own_objects] = low;
    own_high[own_objects++] = high;
    return own_objects == 256;
}

static void own_line(const char *line, size_t size)
{
    fwrite(line, 1, size, stderr);
}

static void be_asker(void)
{
    static char exe[PATH_MAX], words[64 * 1024];
    FILE *line = fopen("/proc/self/cmdline", "re");
    ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

    exe[n > 0 ? n : 0] = 0;
    cua_asker.pid = getpid();
    cua_asker.line = own_line;
    cua_asker.exe = exe;
    cua_asker.started = (const char *)getauxval(AT_EXECFN);
    cua_asker.glibc = gnu_get_libc_version();
    cua_asker.words_size = line ? fread(words, 1, sizeof(words), line) : 0;
    if (!getauxval(AT_BASE)) /* ld.so itself was executed */
        cua_asker.words = words;
    if (line)
        fclose(line);
}

static inline void say_own_objects(void)
{
    be_asker();
    own_objects = 0;
    dl_iterate_phdr(add_own_object, NULL);
    cua_mapped_say(own_object, own_objects);
}

/* The object that the address lies in; the program for any other. */
static inline size_t own_object_at(const void *address)
{
    for (size_t i = 0; i < own_objects; i++)
        if ((uintptr_t)address >= own_low[i] && (uintptr_t)address < own_high[i])
            return i;
    return 0;
}

#endif
