/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the files in an archive, and in archives inside it, such as the layers of an image. Each
 * file is read once, as it is unpacked; nothing is written to disk. */
#ifndef CUA_CODE_MEMBERS_H
#define CUA_CODE_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a file should be read as an archive: its first bytes and its path look like an archive's.
 * `named`: the user named the file, so only its first bytes count. */
bool cua_code_is_archive(const char *path, bool named, const void *head, size_t have);

/* Calls `take` for each member of the archive `fd` that may contain GPU code. The arguments of
 * `take`:
 * - `data`;
 * - the archive's path followed by the member's;
 * - a descriptor, which `take` must close: a copy of the member in memory, without the host's
 *   machine code and without most of the payload of its GPU code.
 * If `take` returns non-zero, the rest of the archive that contains the member is not read, nor
 * that of the archives around it.
 *
 * Returns 0, or -1 if something could not be read or `take` returned non-zero. *why must be NULL at
 * first. If something could not be read, *why receives the reason. */
int cua_code_members(int fd, const char *path, int (*take)(void *data, const char *path, int fd),
                     void *data, const char **why);

#endif
