/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces the text of another tool's file, unless that file has changed since it was read. */
#ifndef CUA_CDI_SWAP_H
#define CUA_CDI_SWAP_H

#include <sys/stat.h>

/* Reads a regular file. Returns its text, owned by the caller; `st` receives the file's status at
 * that time. NULL with errno set on failure. */
char *cua_swap_read(const char *path, struct stat *st);

/* If the file at `path` still contains `text`, replaces it in one step by a file that contains
 * `made` and has the mode and owner of `was`. 0; -EAGAIN if other programs have changed the file or
 * have it open for writing: then `path` has their text; or another -errno. */
int cua_swap(const char *path, const char *text, const struct stat *was, const char *made);

#endif
