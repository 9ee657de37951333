/* SPDX-License-Identifier: Apache-2.0 */
/* The process as the kernel set it up, and what the second run removes: the UMD behind the last
 * "::" of LD_PRELOAD, and two entries at the end of the environment. The first entry is LD_PRELOAD
 * where there was none, else empty. The other is CUA_NOTE, a letter for the length of comm ('A':
 * 0), comm, and AT_EXECFN if that has to be set again. */
#ifndef CUA_PROCESS_H
#define CUA_PROCESS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CUA_PRELOAD "LD_PRELOAD="
#define CUA_NOTE    "=cuarbiter " /* no name of a variable */

struct cua_process {
    int argc;
    char **argv, **env;
    size_t entries; /* of env */
    ElfW(auxv_t) * auxv;
    char **preload; /* the entry of env that ld.so used; NULL: none */
    const char *library_path;
    bool sysroot, off, secure;
};

/* The auxiliary vector, which lies behind the environment, and a value of it; 0: none. */
ElfW(auxv_t) * cua_process_vector(char **env);
uintptr_t cua_process_aux(ElfW(auxv_t) * vector, unsigned long type);

/* Reads it from the stack, given the arguments of a constructor at start-up. */
void cua_process_read(struct cua_process *process, int argc, char **argv, char **env);

/* Returns true in a second run, from which it removes all that the first one added. */
bool cua_process_second_run(struct cua_process *process);

/* Is this a second run whose environment was edited before the shim could look? */
bool cua_process_was_executed(const struct cua_process *process);

#endif
