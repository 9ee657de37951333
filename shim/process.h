/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process as the kernel set it up, and what the second run takes away again: the UMD behind the
 * last "::" of LD_PRELOAD, and two entries at the end of the environment. The first is LD_PRELOAD,
 * where there was none, or empty; the other one is CUA_NOTE, a letter for the length of comm ('A':
 * 0), comm, and AT_EXECFN if that has to be set again.
 */
#ifndef CUA_PROCESS_H
#define CUA_PROCESS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>

#define CUA_PRELOAD "LD_PRELOAD="
#define CUA_NOTE    "=cuarbiter " /* no name of a variable */

struct cua_process {
    int argc;
    char **argv;
    char **env;
    size_t entries; /* of env */
    ElfW(auxv_t) * auxv;
    char **preload; /* the entry of env that ld.so went by; NULL: none */
    const char *library_path;
    bool sysroot, off;
    bool secure;
    bool explicit_loader; /* the kernel started ld.so itself */
    const char *file;     /* AT_EXECFN; NULL */
};

/* Reads it off the stack, from what a constructor is given at start-up. */
void cua_process_read(struct cua_process *process, int argc, char **argv, char **env);

/* In the second run: takes away all that the first one added. Returns true if this is one. */
bool cua_process_second_run(struct cua_process *process);

/* Is this a second run, though its environment was edited before anybody could look? */
bool cua_process_was_executed(const struct cua_process *process);

#endif
