/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the files in an archive, also those in the layers of an image inside it. Each file is read
 * once, as it is unpacked; nothing is written to disk. */
#ifndef CUA_CODE_MEMBERS_H
#define CUA_CODE_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a file should be read as an archive: decided by its first bytes and, unless the user
 * named it, also by its name. */
bool cua_code_is_archive(const char *path, bool named, const void *head, size_t have);

/* Calls `take` for each member that may contain GPU code. `path` is the member's path, preceded by
 * the archive's. `fd`, which `take` must close, is memory that holds the member without the payload
 * of its GPU code. If `take` returns non-zero, stops and returns that. Otherwise 0, or -1 with *why
 * set. */
int cua_code_members(int fd, const char *path, int (*take)(void *data, const char *path, int fd),
                     void *data, const char **why);

#endif
