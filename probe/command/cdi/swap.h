/* SPDX-License-Identifier: Apache-2.0 */
/* A file of others gets a new text, unless they have changed it since it was read. */
#ifndef CUA_CDI_SWAP_H
#define CUA_CDI_SWAP_H

#include <sys/stat.h>

/* The text of a regular file, owned, and how it was when it was read; NULL with errno. */
char *cua_swap_read(const char *path, struct stat *st);

/* Puts `made` in the place of `path` at once, with mode and owner of `was`, where it still holds
 * `text`. 0; -EAGAIN: others have changed it, or write it now, and what they wrote is there. */
int cua_swap(const char *path, const char *text, const struct stat *was, const char *made);

#endif
