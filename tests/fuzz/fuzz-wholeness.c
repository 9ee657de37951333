/* SPDX-License-Identifier: Apache-2.0 */
/* The engine's file, as the shim looks at it before ld.so maps it. */
#include <stdlib.h>
#include <string.h>

#pragma clang attribute push(__attribute__((no_sanitize("address"))), apply_to = function)
#include "shim/text.c"
#pragma clang attribute pop
#include "shim/engine.c"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The rest of the shim is not linked. */
struct cua_state cua_state;

void *cua_find_next(_Atomic(void *) *next, const char *name)
{
    (void)next, (void)name;
    return NULL;
}

const struct link_map *cua_objects(void)
{
    return NULL;
}

bool cua_object_called(const struct link_map *object, const char *wanted)
{
    (void)object, (void)wanted;
    return false;
}

void *cua_object_symbol(const struct link_map *object, const char *name)
{
    (void)object, (void)name;
    return NULL;
}

void cua_objects_hold(void (*visit)(void *arg, uint64_t unloaded), void *arg)
{
    visit(arg, 0);
}

int cua_objects_iterate(int (*visit)(struct dl_phdr_info *, size_t, void *), void *arg)
{
    (void)visit, (void)arg;
    return 0;
}

bool cua_enter(void)
{
    return true;
}

void cua_leave(void)
{
}

const char *cua_folder(void)
{
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    ElfW(Ehdr) header;
    ElfW(Phdr) program;

    if (size < HEAD || !is_whole((const char *)bytes, size))
        return 0;
    memcpy(&header, bytes, sizeof(header));
    for (size_t i = 0; i < header.e_phnum; i++) {
        memcpy(&program, bytes + sizeof(header) + i * sizeof(program), sizeof(program));
        if (program.p_offset > size || program.p_filesz > size - program.p_offset)
            abort();
    }
    if (!memmem(bytes, size, "cuarbiter", sizeof("cuarbiter")))
        abort();
    return 0;
}
