/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the files in an archive, and in archives inside it, such as the layers of an image. Each
 * file is read once, as it is unpacked; nothing is written to disk. */
#ifndef CUA_CODE_MEMBERS_H
#define CUA_CODE_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a file should be read as an archive: its first bytes must show it and, unless the user
 * named the file (`named`), its name too. */
bool cua_code_is_archive(const char *path, bool named, const void *head, size_t have);

/* Calls `take` for each member that may contain GPU code. `path` is the archive's path followed by
 * the member's. `fd`, which `take` must close, is memory that holds the member without the payload
 * of its GPU code. If `take` returns non-zero, stops and returns that value. Otherwise returns 0,
 * or -1 with *why set. */
int cua_code_members(int fd, const char *path, int (*take)(void *data, const char *path, int fd),
                     void *data, const char **why);

#endif
