/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUA_LISTING_H
#define CUA_LISTING_H

/* Calls `fn` for every name in an open folder, "." and ".." included, in the file system's order,
 * until it returns non-zero. `type` is a DT_ value of dirent.h; some file systems always report
 * DT_UNKNOWN. Closes `fd`; it may also be a -errno, which is then returned. Returns the result of
 * the last call of `fn`, or -errno if the folder cannot be read to its end. Allocates nothing,
 * because opendir's buffer would make the heap of a small process grow and shrink. */
int cua_list(int fd, int (*fn)(void *data, const char *name, unsigned char type), void *data);

#endif
