/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a tar archive by libarchive, compressed as the end of its name says. */
#ifndef CUA_PACK_H
#define CUA_PACK_H

#include <stdbool.h>
#include <stdint.h>

struct cua_pack;

/* Begins a tar on `fd`, which stays the caller's. `name` must end in .tar, .tar.gz, .tar.xz or
 * .tar.zst. Returns NULL on failure; then *why is the reason, a text that is never freed. */
struct cua_pack *cua_pack_open(int fd, const char *name, const char **why);

/* cua_pack_file: adds a regular file of `size` bytes, read from the descriptor `from`.
 * cua_pack_link: adds a symbolic link to `target`. Owner and time are left out, so that the same
 * files make the same tar. 0 or -errno. */
int cua_pack_file(struct cua_pack *pack, const char *path, int from, uint64_t size);
int cua_pack_link(struct cua_pack *pack, const char *path, const char *target);

/* Writes the end of the tar and frees the pack. Returns 0 or -errno; for a NULL `pack`, 0. */
int cua_pack_close(struct cua_pack *pack);

#endif
