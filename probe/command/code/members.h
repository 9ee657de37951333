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

/* Calls `take` for each member of the archive `fd` that may contain GPU code. Its arguments are
 * `data`; the archive's path followed by the member's; and a descriptor of memory that holds the
 * member, without most of the payload of its GPU code and without the host's machine code. `take`
 * must close that descriptor. If it returns non-zero, no further members are read from the archive
 * that contains the member. Unless that is an inner archive of which something could not be read,
 * none are read from the archives around it either. cua_code_members returns 0, or -1 if something
 * could not be read or `take` returned non-zero. *why, which must be NULL at first, receives the
 * reason if something could not be read. */
int cua_code_members(int fd, const char *path, int (*take)(void *data, const char *path, int fd),
                     void *data, const char **why);

#endif
