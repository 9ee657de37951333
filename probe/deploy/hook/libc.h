/* SPDX-License-Identifier: Apache-2.0 */
/* Examines a container's libc: whether the container's programs can load the shim, and what ld.so
 * replaces $LIB by. */
#ifndef CUA_HOOK_LIBC_H
#define CUA_HOOK_LIBC_H

#include <stddef.h>

#include "deploy/hook/root.h"

/* The path of the loader that programs name (PT_INTERP), relative to the root. */
#if defined(__x86_64__)
#define CUA_HOOK_LOADER "lib64/ld-linux-x86-64.so.2"
#else
#define CUA_HOOK_LOADER "lib/ld-linux-aarch64.so.1"
#endif

/* Returns the highest N of all names GLIBC_2.N in these bytes; 0 if there is none. */
unsigned cua_newest_glibc(const char *bytes, size_t size);

/* Fills in root->libc and root->lib. -ENOEXEC, with root->why, if the root has no glibc 2.17 or
 * later, which the shim needs. 0 or -errno. */
int cua_root_libc(struct cua_root *root);

#endif
