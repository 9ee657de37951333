/* SPDX-License-Identifier: Apache-2.0 */
/* The cache folder: $XDG_RUNTIME_DIR/cuarbiter, else cuarbiter-UID in /run, /tmp or /dev/shm. The
 * first one is used that is a real folder (no link), belongs to the caller and cannot be entered by
 * anybody else, or that can be created so. No other folder is trusted. A sysroot has no effect on
 * it. */
#ifndef CUA_CACHEDIR_H
#define CUA_CACHEDIR_H

#include <stdbool.h>
#include <stddef.h>

#define CUA_CACHEDIR_MOST 128

/* Returns a descriptor of the folder (O_CLOEXEC), or -errno if there is none. `runtime`:
 * XDG_RUNTIME_DIR from the settings, or NULL. `make`: create the folder if it is missing; callers
 * that write nothing pass false. */
int cua_cachedir_open(const char *runtime, bool make);

/* Deletes the oldest entries if there are many; call it before adding a file. Locked files stay. */
void cua_cachedir_tidy(int folder);

/* Writes a small file under another name and renames it to `name`. So readers find the old file or
 * the new one, never a part. Mode 0600. 0 or -errno. */
int cua_cachedir_put(int folder, const char *name, const void *bytes, size_t size);

/* Makes a system call by syscall(2); cuarbiter/stderr.h takes a function of this type. */
long cua_call_kernel(long number, long a, long b, long c, long d);

/* Writes a word that is the same for all processes of this boot and container and differs for
 * others: the boot ID and the start time of PID 1. "" if /proc does not show the boot ID. */
void cua_cachedir_epoch(char *buf, size_t size);

#endif
