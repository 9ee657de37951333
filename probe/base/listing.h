/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUA_LISTING_H
#define CUA_LISTING_H

/* Calls `fn` for every name in the folder that `fd` is open for, "." and ".." included, until `fn`
 * returns non-zero. `type` is a DT_ value of dirent.h; some file systems always report DT_UNKNOWN.
 * Closes `fd`. Returns the result of the last call of `fn`, or -errno if the folder cannot be read
 * to its end. If `fd` is negative, only returns `fd`.
 *
 * Allocates nothing: opendir's buffer would make the heap of a small process grow and shrink. */
int cua_list(int fd, int (*fn)(void *data, const char *name, unsigned char type), void *data);

#endif
