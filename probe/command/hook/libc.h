/* SPDX-License-Identifier: Apache-2.0 */
/* The libc of a container: whether its programs can load the shim, and what $LIB is to them. */
#ifndef CUA_HOOK_LIBC_H
#define CUA_HOOK_LIBC_H

#include <stddef.h>

#include "command/hook/root.h"

/* Where programs look for their loader. */
#if defined(__x86_64__)
#define CUA_HOOK_LOADER "lib64/ld-linux-x86-64.so.2"
#else
#define CUA_HOOK_LOADER "lib/ld-linux-aarch64.so.1"
#endif

/* The highest N of all GLIBC_2.N in these bytes; 0: there is none. */
unsigned cua_newest_glibc(const char *bytes, size_t size);

/* Which loader and libc it has: the shim loads with glibc 2.17 and later. 0 or -errno. */
int cua_root_libc(struct cua_root *root);

#endif
