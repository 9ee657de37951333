/* SPDX-License-Identifier: Apache-2.0 */
/* The process for which this one examines the machine. In the answerer that is the program that
 * asked, as its question describes it. In the command there is none: `pid` is 0, and the rest
 * describes the command itself. Set it before anything else; not thread-safe. */
#ifndef CUA_ASKER_H
#define CUA_ASKER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct cua_asker {
    pid_t pid;
    const char *exe;     /* where its /proc/self/exe leads; "": not known */
    const char *started; /* the name that it was executed by, AT_EXECFN; "": not known */
    const char *glibc;   /* its release of glibc; "" */
    const char *home;    /* the folder of its shim */
    /* The arguments of a command line that begins with ld.so, each with its NUL; NULL: the
     * kernel started the program itself. */
    const char *words;
    size_t words_size;
    /* Writes a line to the asker's standard error; NULL: that is not possible. */
    void (*line)(const char *line, size_t size);
    /* Called before a trial that may take this many seconds; NULL: not needed. */
    void (*trial)(unsigned seconds);
};

extern struct cua_asker cua_asker;

/* Returns the path as the asker would follow it, to be freed: a path below /proc/self or /dev/fd
 * leads to the asker's files, not to those of this process. NULL if the path is the asker's
 * standard error, or there is no memory. */
char *cua_asker_path(const char *path);

#endif
