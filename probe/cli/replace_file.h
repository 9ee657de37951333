/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces a file in one step or not at all: the new file is written beside it under another name,
 * flushed with fsync, then renamed. The caller must resolve symbolic links first. */
#ifndef CUA_REPLACE_FILE_H
#define CUA_REPLACE_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#define CUA_FRESH_SUFFIX ".cuarbiter-new"

struct cua_fresh_file {
    int fd;
    const char *path;         /* the file to be replaced; belongs to the caller */
    char name[PATH_MAX + 32]; /* path of the new file; "" once kept or dropped */
};

/* Creates the new file for writing; the umask applies to `mode`. Returns 0, or -errno with errno
 * set as well.
 * - `locked`: the caller holds a lock on `path`, so no other process is writing. A new file that a
 *   killed process left is deleted.
 * - Not `locked`: the new file's name contains this process's pid. It also contains a number if
 *   that name exists, because processes of two containers can have the same pid. */
int cua_fresh_open(struct cua_fresh_file *file, const char *path, mode_t mode, bool locked);
/* Flushes the new file and renames it to `path`. Does not close the descriptor. Returns 0; or
 * -errno after deleting the new file. */
int cua_fresh_keep(struct cua_fresh_file *file);
/* Deletes the new file. Does not close the descriptor. */
void cua_fresh_drop(struct cua_fresh_file *file);
/* Deletes new files of `path` that killed processes left. These have a pid in their names (they
 * were not `locked`), and were not changed in the last ten seconds. Does nothing if `path` has no
 * slash. */
void cua_fresh_sweep(const char *path);

/* Replaces `path` by a file with these bytes, exactly this mode, and the owner and group of `like`,
 * unless that is NULL. `locked`: see cua_fresh_open. 0 or -errno. */
int cua_replace_file(const char *path, const void *bytes, size_t size, mode_t mode,
                     const struct stat *like, bool locked);

#endif
