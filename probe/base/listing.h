/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUA_LISTING_H
#define CUA_LISTING_H

/* Calls `fn` for every name in a folder, "." and ".." too, in the order in which the file system
 * lists them, until it returns non-zero. `type` is a DT_ of dirent.h, of which a file system may
 * know none (DT_UNKNOWN). Returns what the last call did, or -errno where the folder cannot be
 * read to its end. Allocates nothing: opendir's buffer makes the heap of a small process grow and
 * shrink. */
int cua_list(const char *folder, int (*fn)(void *data, const char *name, unsigned char type),
             void *data);

/* The same of an open folder, which it closes. */
int cua_list_open(int fd, int (*fn)(void *data, const char *name, unsigned char type), void *data);

#endif
