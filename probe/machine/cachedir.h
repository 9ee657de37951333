/* SPDX-License-Identifier: Apache-2.0 */
/* The cache folder: $XDG_RUNTIME_DIR/cuarbiter, or cuarbiter-UID in /run, /tmp or /dev/shm, the
 * first that is, or can be made, a real folder that belongs to the caller and that nobody else can
 * enter. Anything else is not trusted. No sysroot applies to it. */
#ifndef CUA_CACHEDIR_H
#define CUA_CACHEDIR_H

#include <stdbool.h>
#include <stddef.h>

#define CUA_CACHEDIR_MOST 128

/* Descriptor of the folder (O_CLOEXEC), or -errno where there is none. `runtime`: XDG_RUNTIME_DIR
 * of the settings, or NULL. */
int cua_cachedir_open(const char *runtime);

/* Forgets what is oldest where there is much in it; whoever is about to add a file calls this. What
 * somebody has locked stays. */
void cua_cachedir_tidy(int folder);

/* A small file, by rename: under `name` lies the old file or the new one, never a part. Mode 0600.
 * 0 or -errno. */
int cua_cachedir_put(int folder, const char *name, const void *bytes, size_t size);

/* A system call without libc's wrappers, for cuarbiter/stderr.h. */
long cua_call_kernel(long number, long a, long b, long c, long d);

/* A word that is the same for all processes of this boot and container and changes with either:
 * the boot id and the start time of PID 1. "" where /proc shows neither. */
void cua_cachedir_epoch(char *buf, size_t size);

#endif
