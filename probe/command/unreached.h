/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out why the shim is not in a process, by the process's /proc and the program file that it
 * runs. */
#ifndef CUA_UNREACHED_H
#define CUA_UNREACHED_H

#include <stdbool.h>
#include <sys/types.h>

enum cua_unreached {
    CUA_REACHABLE, /* nothing was found that keeps the shim out */
    /* The kernel has not set the program up yet, so its environment cannot be read. */
    CUA_STARTING,
    CUA_UNREACHED_MACHINE,    /* 32 bits, or of another architecture */
    CUA_UNREACHED_STATIC,     /* it has no ld.so */
    CUA_UNREACHED_MUSL,       /* it uses another libc */
    CUA_UNREACHED_LOADER,     /* started by another loader than glibc's */
    CUA_UNREACHED_PRIVILEGES, /* it has raised privileges: setuid, capabilities (AT_SECURE) */
    CUA_UNREACHED_UNNAMED,    /* LD_PRELOAD and /etc/ld.so.preload do not name the shim */
    CUA_UNREACHED_FILES,      /* they name a file that the program's root lacks */
    CUA_UNREACHED_REASONS,
};

/* The first of these reasons that applies. Call it for a process that has not mapped the shim. */
enum cua_unreached cua_unreached_find(pid_t pid);

/* The reason as half a sentence about the program; "" for the first two values. */
const char *cua_unreached_words(enum cua_unreached why);

#endif
