/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a small file as a whole. This works for files of /proc too, whose size is not known in
 * advance. */
#ifndef CUA_WHOLE_H
#define CUA_WHOLE_H

#include <stddef.h>

/* Reads the rest of an open file. Returns it NUL-terminated, to be freed; *size (may be NULL)
 * receives its length. Closes `fd`, which may also be a -errno. NULL with errno set on failure:
 * EFBIG if the rest is longer than `most`. */
char *cua_whole(int fd, size_t most, size_t *size);

/* The same for a text: EINVAL if it contains a NUL. */
char *cua_whole_text(int fd, size_t most);

/* Like cua_whole, for a path below this process's own root. Never waits for a pipe. */
char *cua_whole_file(const char *path, size_t most, size_t *size);

#endif
