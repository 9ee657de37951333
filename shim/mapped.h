/* SPDX-License-Identifier: Apache-2.0 */
/* What is mapped already, asked as ld.so asks before it opens a file. */
#ifndef CUA_MAPPED_H
#define CUA_MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is this name, of a file or a SONAME; this very path, since the start or later? No system call is
 * made. */
bool cua_mapped(const char *name);
bool cua_mapped_path(const char *path, bool later);

/* Has any object search paths of its own? Right after a name was not found among the mapped. */
bool cua_mapped_has_paths(void);

/* Are all these names, by their keys (text.h)? Sets those that are to 0. `may_grow`: takes memory
 * from the kernel for the sake of later questions. */
bool cua_mapped_all(uint64_t *keys, size_t count, bool may_grow);

#endif
