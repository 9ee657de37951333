/* SPDX-License-Identifier: Apache-2.0 */
/* A small file as a whole, also one of /proc, which has no size before it is read. */
#ifndef CUA_WHOLE_H
#define CUA_WHOLE_H

#include <stddef.h>

/* What an open file holds from here on, NUL-terminated and owned; *size (may be NULL) is its
 * length. Closes `fd`, which may be a -errno instead. NULL with errno set: EFBIG where it is longer
 * than `most`. */
char *cua_whole(int fd, size_t most, size_t *size);

/* The same of a text: EINVAL where it holds a NUL. */
char *cua_whole_text(int fd, size_t most);

/* As cua_whole, of a file of this process's own; never waits for a pipe. */
char *cua_whole_file(const char *path, size_t most, size_t *size);

#endif
