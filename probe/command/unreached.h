/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out why the shim (libcuarbiter.so) is not in a process, by the process's folder in /proc
 * and the program file that it runs. */
#ifndef CUA_UNREACHED_H
#define CUA_UNREACHED_H

#include <stdbool.h>
#include <sys/types.h>

enum cua_unreached {
    CUA_REACHABLE, /* nothing was found that keeps the shim out */
    /* The kernel has not set the program up yet, so its environment is not known. */
    CUA_STARTING,
    CUA_UNREACHED_MACHINE,    /* 32 bits, or of another architecture */
    CUA_UNREACHED_STATIC,     /* a static program: it has no ld.so */
    CUA_UNREACHED_MUSL,       /* its loader is musl's */
    CUA_UNREACHED_LOADER,     /* its loader is neither glibc's nor musl's */
    CUA_UNREACHED_PRIVILEGES, /* it has raised privileges: setuid, capabilities (AT_SECURE) */
    CUA_UNREACHED_UNNAMED,    /* neither LD_PRELOAD nor /etc/ld.so.preload names the shim */
    CUA_UNREACHED_FILES,      /* one of the two names it, but the process's root lacks the file */
    CUA_UNREACHED_REASONS,
};

/* The first reason that is found. CUA_REACHABLE if there is none, or if the process cannot be
 * examined.
 *
 * Does not check whether the process has mapped the shim. If it has, only two results are still
 * true, CUA_UNREACHED_MUSL and CUA_UNREACHED_PRIVILEGES: the shim is loaded, but does nothing. The
 * caller must ignore any other result. */
enum cua_unreached cua_unreached_find(pid_t pid);

/* The reason as a clause about the program; "" for the first two values. */
const char *cua_unreached_words(enum cua_unreached why);

#endif
