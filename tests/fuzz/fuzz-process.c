/* SPDX-License-Identifier: Apache-2.0 */
/* The environment that the shim starts with, one entry a line: what it finds in it, and what it
 * takes out of it in a second run. */
#include <stdlib.h>
#include <string.h>

#pragma clang attribute push(__attribute__((no_sanitize("address"))), apply_to = function)
#include "shim/text.c"
#pragma clang attribute pop
#include "shim-calls.h"
#include "shim/process.c"

#define MOST 64

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* As the kernel lays it out: pointers, the vector, the strings, the file's name last. But each
 * entry lies in memory of its own, so that whoever reads behind one is seen. */
struct start {
    char *env[MOST + 1];
    ElfW(auxv_t) vector[4];
    char strings[4096];
};

static void check(const struct cua_process *process, char *const *before, size_t entries)
{
    size_t preload = process->preload ? (size_t)(process->preload - process->env) : MOST;

    if (process->entries + 2 != entries || process->env[process->entries] ||
        (preload != MOST && preload >= process->entries))
        abort();
    for (size_t i = 0; i < process->entries; i++)
        if (i == preload ? strncmp(before[i], process->env[i], strlen(process->env[i])) != 0
                         : strcmp(before[i], process->env[i]) != 0)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct start *start;
    struct cua_process process;
    char *text, *rest, *line, *argv[] = {NULL}, *owned[MOST], *before[MOST], *file, *now;
    size_t count = 0, used = 0;

    if (size >= sizeof(start->strings) - 8 || memchr(bytes, 0, size))
        return 0;
    start = calloc(1, sizeof(*start));
    text = rest = strndup((const char *)bytes, size);
    while (count < MOST && (line = strsep(&rest, "\n"))) {
        strcpy(start->strings + used, line);
        used += strlen(line) + 1;
        before[count] = strdup(line);
        start->env[count] = owned[count] = strdup(line);
        count++;
    }
    file = strcpy(start->strings + used, "./a");
    start->vector[0] = (ElfW(auxv_t)){AT_SECURE, {0}};
    start->vector[1] = (ElfW(auxv_t)){AT_EXECFN, {(uintptr_t)file}};
    start->vector[2] = (ElfW(auxv_t)){AT_BASE, {1}};
    cua_process_read(&process, 0, argv, start->env);
    if (process.entries != count || process.secure ||
        (process.library_path && strncmp(process.library_path - 16, "LD_LIBRARY_PATH=", 16)))
        abort();
    if (cua_process_was_executed(&process) < (count && !strncmp(before[0], CUA_NOTE, 11)))
        abort();
    if (cua_process_second_run(&process))
        check(&process, before, count);
    now = (char *)cua_process_aux(process.auxv, AT_EXECFN);
    if (now != file)
        cua_sys_unmap(now, strlen(now) + 1);
    for (size_t i = 0; i < count; i++) {
        free(owned[i]);
        free(before[i]);
    }
    free(text);
    free(start);
    return 0;
}
