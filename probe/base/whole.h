/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a small file as a whole, even one of /proc, of which stat does not show the size. */
#ifndef CUA_WHOLE_H
#define CUA_WHOLE_H

#include <stddef.h>

/* Reads the rest of an open file and closes `fd`. Returns the text with a NUL after it, to be
 * freed; *size, unless `size` is NULL, receives its length. On failure returns NULL with errno set:
 * EFBIG if the rest is longer than `most`. If `fd` is a -errno, fails with that error. */
char *cua_whole(int fd, size_t most, size_t *size);

/* Like cua_whole, but fails with EINVAL if the text contains a NUL. */
char *cua_whole_text(int fd, size_t most);

/* Like cua_whole, for a path below this process's own root. Opening a pipe does not block. */
char *cua_whole_file(const char *path, size_t most, size_t *size);

#endif
