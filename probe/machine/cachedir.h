/* SPDX-License-Identifier: Apache-2.0 */
/* The cache folder, for answers of trials (cuInit in a child process) and for the warnings that
 * were given. It is $XDG_RUNTIME_DIR/cuarbiter or cuarbiter-UID in /run, /tmp or /dev/shm: the
 * first of these that is, or can be created as, a folder (no link) of the caller with mode 0700. No
 * other is trusted. CUARBITER_SYSROOT has no effect on it. */
#ifndef CUA_CACHEDIR_H
#define CUA_CACHEDIR_H

#include <stdbool.h>
#include <stddef.h>

#define CUA_CACHEDIR_MOST 128

/* Returns a descriptor of the folder (O_CLOEXEC), or -errno if none can be used. `runtime`: the
 * value of XDG_RUNTIME_DIR, or NULL. `make`: create the folder if it is missing; callers that write
 * nothing pass false. */
int cua_cachedir_open(const char *runtime, bool make);

/* If the folder has more than CUA_CACHEDIR_MOST entries, deletes the oldest: those older than a
 * day; if that is not enough, than an hour, than a minute, then all. Files locked with flock stay.
 * Best called before a file is added, because it might delete that. */
void cua_cachedir_tidy(int folder);

/* Writes a small file, mode 0600, under another name and renames it to `name`, so that readers find
 * the old file or the new one, never a part. 0 or -errno. */
int cua_cachedir_put(int folder, const char *name, const void *bytes, size_t size);

/* Makes a system call by syscall(2). It has the type cua_call, for the functions of
 * cuarbiter/stderr.h. */
long cua_call_kernel(long number, long a, long b, long c, long d);

/* Writes a word that is the same for all processes of one boot and container, and another one for
 * other boots and containers: the boot ID and the start time of PID 1. "" if /proc does not show
 * the boot ID. */
void cua_cachedir_epoch(char *buf, size_t size);

#endif
