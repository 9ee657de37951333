/* SPDX-License-Identifier: Apache-2.0 */
/* For cuarbiter's OCI hook: examines a container's libc. Finds out two things: whether the
 * container's programs can load the shim (cuarbiter's library, which ld.so.preload names), and what
 * the container's ld.so puts in place of $LIB in ld.so.preload. */
#ifndef CUA_HOOK_LIBC_H
#define CUA_HOOK_LIBC_H

#include <stddef.h>

#include "deploy/hook/root.h"

/* The path of the loader (PT_INTERP) that 64-bit programs name, relative to the root. */
#if defined(__x86_64__)
#define CUA_HOOK_LOADER "lib64/ld-linux-x86-64.so.2"
#else
#define CUA_HOOK_LOADER "lib/ld-linux-aarch64.so.1"
#endif

/* Returns the highest N of all version names GLIBC_2.N in these bytes; 0 if there is none. */
unsigned cua_newest_glibc(const char *bytes, size_t size);

/* Fills in root->libc and root->lib. Returns 0, with root->why NULL; -ENOEXEC if the root has no
 * glibc 2.17 or later of this architecture, which the shim needs, at the usual paths; or -ENOMEM.
 * After an error, root->why has the reason. */
int cua_root_libc(struct cua_root *root);

#endif
