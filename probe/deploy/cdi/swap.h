/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces the text of another tool's file, unless that file has changed since it was read. */
#ifndef CUA_CDI_SWAP_H
#define CUA_CDI_SWAP_H

#include <sys/stat.h>

/* Reads a regular file of at most 4 MiB without NUL bytes. Returns its text, to be freed; `st`
 * receives its fstat. NULL with errno set on failure. */
char *cua_swap_read(const char *path, struct stat *st);

/* If the file at `path` is still the file whose fstat is `was`, and still has the text `text`,
 * replaces it in one step by a file that has the text `made` and the mode, owner and group of
 * `was`. Returns 0 or -errno. -EAGAIN: another program has changed or replaced the file, or has it
 * open for writing, and `path` is as that program has left it. If that program's file could not be
 * put back to `path`, returns another -errno, and the file is kept as PATH.cuarbiter-kept. */
int cua_swap(const char *path, const char *text, const struct stat *was, const char *made);

#endif
