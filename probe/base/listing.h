/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUA_LISTING_H
#define CUA_LISTING_H

/* Calls `fn` for every name in an open folder, "." and ".." too, in the order in which the file
 * system lists them, until it returns non-zero. `type` is a DT_ of dirent.h, of which a file system
 * may know none (DT_UNKNOWN). Closes `fd`, which may be a -errno instead. Returns what the last
 * call did, or -errno where the folder cannot be read to its end. Allocates nothing: opendir's
 * buffer makes the heap of a small process grow and shrink. */
int cua_list(int fd, int (*fn)(void *data, const char *name, unsigned char type), void *data);

#endif
