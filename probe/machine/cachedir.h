/* SPDX-License-Identifier: Apache-2.0 */
/* The cache folder. It keeps the answers of trials (cuInit in a child process), and which warnings
 * were given. It is the first of these folders that can be used: $XDG_RUNTIME_DIR/cuarbiter, then
 * cuarbiter-UID in /run, /tmp and /dev/shm. A folder can be used if it belongs to the caller, has
 * mode 0700 and is not a link. CUARBITER_SYSROOT has no effect on it. */
#ifndef CUA_CACHEDIR_H
#define CUA_CACHEDIR_H

#include <stdbool.h>
#include <stddef.h>

#define CUA_CACHEDIR_MOST 128

/* Returns a descriptor of the folder (O_CLOEXEC), or -errno if none can be used. `runtime`: the
 * value of XDG_RUNTIME_DIR, or NULL. `make`: create the folder if it is missing; callers that write
 * nothing pass false. */
int cua_cachedir_open(const char *runtime, bool make);

/* If the folder has more than CUA_CACHEDIR_MOST entries, deletes the files older than a day. While
 * there are still too many, deletes those older than an hour, then a minute, and at last all. Files
 * locked with flock, or dated in the future, stay. Best called before a file is added, because it
 * might delete the new file. */
void cua_cachedir_tidy(int folder);

/* Writes a small file, mode 0600, under another name and renames it to `name`, so that readers find
 * the old file or the new one, never a part. 0 or -errno. */
int cua_cachedir_put(int folder, const char *name, const void *bytes, size_t size);

/* Makes a system call by syscall(2). It has the type cua_call, for the functions of
 * cuarbiter/stderr.h. */
long cua_call_kernel(long number, long a, long b, long c, long d);

/* Writes a word that identifies this boot and this PID namespace (normally, the container): the
 * boot ID and the start time of PID 1 (0 if /proc does not show it). "" if /proc does not show the
 * boot ID. */
void cua_cachedir_epoch(char *buf, size_t size);

#endif
