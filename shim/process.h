/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the arguments, the environment and the auxiliary vector that the kernel put on the stack.
 *
 * A second run (exec.h) is a program that the shim has executed again. In it,
 * cua_process_second_run removes what the first run added to the environment:
 * - The end of LD_PRELOAD, from its last "::" on. That part ends with the path of the libcuda that
 * is preloaded.
 * - The last two entries. The first of them is LD_PRELOAD if the program had none, else it is
 *   empty. The second is the note.
 *
 * The note consists of CUA_NOTE, a letter for the length of the thread's name ('A' is 0), that name
 * (PR_GET_NAME), and the program's AT_EXECFN if that must be restored. */
#ifndef CUA_PROCESS_H
#define CUA_PROCESS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CUA_PRELOAD "LD_PRELOAD="
#define CUA_NOTE    "=cuarbiter " /* begins the note; no variable's name begins with '=' */

struct cua_process {
    int argc;
    char **argv, **env;
    size_t entries; /* the number of entries in env */
    ElfW(auxv_t) * auxv;
    char **preload; /* the entry of env that ld.so used for LD_PRELOAD; NULL: none */
    const char *library_path;
    bool sysroot, off, debug, secure;
};

/* Finds the auxiliary vector, which follows the environment `env` on the stack. */
ElfW(auxv_t) * cua_process_vector(char **env);

/* Returns the value of the vector's entry of this type; 0 if there is none. */
uintptr_t cua_process_aux(ElfW(auxv_t) * vector, unsigned long type);

/* Fills in `process`. The arguments are those that a constructor gets at program start: they point
 * into the stack. */
void cua_process_read(struct cua_process *process, int argc, char **argv, char **env);

/* Returns whether this is a second run. If so, removes what the first run added to the environment,
 * and restores the thread's name and AT_EXECFN. */
bool cua_process_second_run(struct cua_process *process);

/* Whether the environment had the note when the kernel started this process, so that this is a
 * second run. cua_process_second_run misses the note if something changes the environment before
 * the shim reads it. If there is no memory to find out: true. If ld.so itself was executed and
 * /proc cannot be read: false. */
bool cua_process_was_executed(const struct cua_process *process);

#endif
