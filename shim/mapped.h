/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a library is mapped already, compared as ld.so does before it opens a file. */
#ifndef CUA_MAPPED_H
#define CUA_MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is an object of this file name or SONAME mapped, or opened by this path? No system call. */
bool cua_is_mapped(const char *name);
bool cua_path_is_mapped(const char *path);

/* Has any object search paths of its own? Only valid after a name was not found. */
bool cua_mapped_has_paths(void);

/* Are all these names mapped, given by their keys (text.h)? Sets the keys of those that are to 0.
 * `may_grow`: may map memory to remember names for later questions. */
bool cua_are_mapped(uint64_t *keys, size_t count, bool may_grow);

#endif
