/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a tar by libarchive, compressed as its name says. */
#ifndef CUA_PACK_H
#define CUA_PACK_H

#include <stdbool.h>
#include <stdint.h>

struct cua_pack;

/* Begins a tar on `fd`, which stays the caller's. `name` ends in .tar, .tar.gz, .tar.xz or
 * .tar.zst. NULL on failure; then `why` is a text that is never freed. */
struct cua_pack *cua_pack_open(int fd, const char *name, const char **why);

/* Adds a file of `size` bytes, read from `from`, or a link to `target` (`from` is not read then).
 * Owner and time are left out: the same files make the same tar. 0 or -errno. */
int cua_pack_file(struct cua_pack *pack, const char *path, int from, uint64_t size);
int cua_pack_link(struct cua_pack *pack, const char *path, const char *target);

/* Writes the end and frees the pack; 0 or -errno, also for NULL. */
int cua_pack_close(struct cua_pack *pack);

#endif
