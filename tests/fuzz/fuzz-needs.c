/* SPDX-License-Identifier: Apache-2.0 */
/* The shim's look at a library that is about to be loaded. What it needs is this file again, where
 * the name says so, or is unknown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#pragma clang attribute push(__attribute__((no_sanitize("address"))), apply_to = function)
#include "shim/text.c"
#pragma clang attribute pop
#include "shim-calls.h"
#include "shim/needs.c"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static int file = -1;
static size_t opened;

int cua_libpath_open(struct cua_libpath *libpath, const struct cua_paths *paths, const char *name)
{
    opened++;
    strcpy(libpath->path, "/lib/");
    strncat(libpath->path, name, 256);
    /* Each of them ends, whoever needs the name. */
    if (paths && (paths->rpath ? strlen(paths->rpath) : 0) +
                         (paths->runpath ? strlen(paths->runpath) : 0) +
                         (paths->origin ? strnlen(paths->origin, paths->length) : 0) >
                     sizeof(((struct needs *)0)->text))
        abort();
    /* libcuda by this name is not to be looked into. */
    if (strchr(name, '/') || !name[0] || !strncmp(name, "libcuda.so", 10))
        abort();
    return strlen(name) % 4 ? dup(file) : -1;
}

void cua_paths_of(struct cua_paths *paths, const struct link_map *object)
{
    (void)object;
    *paths = (struct cua_paths){.rpath = NULL};
}

bool cua_is_known(uint64_t key)
{
    return key % 8 == 1;
}

void cua_know(uint64_t key)
{
    if (key < 2)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char path[64];
    int before, after;

    if (file < 0)
        file = memfd_create("fuzz", MFD_CLOEXEC);
    if (ftruncate(file, 0) != 0 || pwrite(file, bytes, size, 0) != (ssize_t)size)
        return 0;
    before = dup(file);
    close(before);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    opened = 0;
    enum cua_look look = cua_brings(path, NULL);
    after = dup(file);
    close(after);
    if (after != before || opened > MOST)
        abort();
    /* No ELF file brings anything in. */
    if (look == CUA_LOOK_SHORT && (size < 4 || memcmp(bytes, "\177ELF", 4) != 0))
        abort();
    return 0;
}
