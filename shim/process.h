/* SPDX-License-Identifier: Apache-2.0 */
/* The process as the kernel set it up. In a second run (exec.h) this also removes what the first
 * run has added to the environment: the driver's libcuda, which follows the last "::" in
 * LD_PRELOAD, and two entries at the end. The first of these is LD_PRELOAD if there was none
 * before, else empty. The second is CUA_NOTE, followed by a letter for the length of comm ('A' is
 * 0), comm, and AT_EXECFN if that must be restored. */
#ifndef CUA_PROCESS_H
#define CUA_PROCESS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CUA_PRELOAD "LD_PRELOAD="
#define CUA_NOTE    "=cuarbiter " /* begins the note's entry: cannot be the name of a variable */

struct cua_process {
    int argc;
    char **argv, **env;
    size_t entries; /* number of entries in env */
    ElfW(auxv_t) * auxv;
    char **preload; /* the entry of env that ld.so used for LD_PRELOAD; NULL: none */
    const char *library_path;
    bool sysroot, off, debug, secure;
};

/* cua_process_vector: the auxiliary vector, which lies behind the environment. cua_process_aux: the
 * value of its entry of this type; 0: none. */
ElfW(auxv_t) * cua_process_vector(char **env);
uintptr_t cua_process_aux(ElfW(auxv_t) * vector, unsigned long type);

/* Reads the process from the stack, given the arguments of a constructor at program start. */
void cua_process_read(struct cua_process *process, int argc, char **argv, char **env);

/* Returns true in a second run, and then removes all that the first run added. */
bool cua_process_second_run(struct cua_process *process);

/* Whether this is a second run whose environment was changed before the shim could read it. */
bool cua_process_was_executed(const struct cua_process *process);

#endif
