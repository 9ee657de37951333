/* SPDX-License-Identifier: Apache-2.0 */
/* The asker: the program for which this process examines the machine. If this process is the
 * answerer (cuarbiter-answer), the asker is the program whose shim (the LD_PRELOAD library) started
 * it. The fields then come from the shim's question. The command (cuarbiter) has no asker: `pid` is
 * 0, and the other fields are not set. Set cua_asker before calling anything else; not
 * thread-safe. */
#ifndef CUA_ASKER_H
#define CUA_ASKER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct cua_asker {
    pid_t pid;
    const char *exe;     /* the program's file, where its /proc/self/exe leads; "": not known */
    const char *started; /* the name by which it was executed (AT_EXECFN); "": not known */
    const char *glibc;   /* the version of its glibc; "": not known */
    const char *home;    /* the folder that its shim was loaded from */
    /* The command line, each word with its NUL, if the asker was started as `ld.so [OPTIONS]
     * PROGRAM`. NULL: the kernel started the program itself. */
    const char *words;
    size_t words_size;
    /* Writes a line to the asker's standard error. NULL: the asker has none that takes lines. */
    void (*line)(const char *line, size_t size);
    /* Announces to the asker's shim that trials (calls of cuInit in a child process) may take this
     * many seconds, so that the shim waits for the answer. Called at most once, before the first
     * trial. NULL: no shim waits, or the call was made already. */
    void (*trial)(unsigned seconds);
};

extern struct cua_asker cua_asker;

/* Returns a path, to be freed, that leads this process to the same file as `path` leads the asker:
 * /proc/self becomes /proc/PID, and /dev/fd becomes /proc/PID/fd, with the asker's pid. NULL if
 * `path` is the asker's standard error, or if there is no memory. Without an asker, returns a
 * copy. */
char *cua_asker_path(const char *path);

#endif
