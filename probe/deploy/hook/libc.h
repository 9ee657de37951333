/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out about a container's libc: whether its programs can load the shim, and what $LIB means
 * to them. */
#ifndef CUA_HOOK_LIBC_H
#define CUA_HOOK_LIBC_H

#include <stddef.h>

#include "deploy/hook/root.h"

/* The path by which programs name their loader. */
#if defined(__x86_64__)
#define CUA_HOOK_LOADER "lib64/ld-linux-x86-64.so.2"
#else
#define CUA_HOOK_LOADER "lib/ld-linux-aarch64.so.1"
#endif

/* The highest N among all GLIBC_2.N in these bytes; 0: there are none. */
unsigned cua_newest_glibc(const char *bytes, size_t size);

/* Finds out which loader and which libc the root has. The shim loads with glibc 2.17 and later. 0
 * or -errno. */
int cua_root_libc(struct cua_root *root);

#endif
