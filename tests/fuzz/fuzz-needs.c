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
#include "shim/needs.c"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static int file = -1;
static size_t opened;

int cua_libpath_open(struct cua_libpath *libpath, const char *name)
{
    (void)libpath;
    opened++;
    /* libcuda by this name is not to be looked into. */
    if (strchr(name, '/') || !name[0] || !strncmp(name, "libcuda.so", 10))
        abort();
    return strlen(name) % 4 ? dup(file) : -1;
}

bool cua_are_mapped(uint64_t *keys, size_t count, bool may_grow)
{
    (void)may_grow;
    for (size_t i = 0; i < count; i++)
        if (keys[i] % 8 == 1)
            keys[i] = 0;
    return false;
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
    enum cua_look look = cua_brings(path, false);
    after = dup(file);
    close(after);
    if (after != before || opened > sizeof(((struct needs *)0)->key) / sizeof(uint64_t))
        abort();
    /* No ELF file brings anything in. */
    if (look == CUA_LOOK_SHORT && (size < 4 || memcmp(bytes, "\177ELF", 4) != 0))
        abort();
    return 0;
}
