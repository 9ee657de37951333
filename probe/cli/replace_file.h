/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces a file in one step or not at all: the new file is written beside it under another name,
 * flushed, then renamed. The caller must resolve symbolic links first. */
#ifndef CUA_REPLACE_FILE_H
#define CUA_REPLACE_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#define CUA_FRESH_SUFFIX ".cuarbiter-new"

struct cua_fresh_file {
    int fd;
    const char *path;         /* belongs to the caller */
    char name[PATH_MAX + 32]; /* name while it is written; "" once kept or dropped */
};

/* Creates the new file for writing; the umask applies to `mode`. `locked`: the caller holds a lock
 * on `path`, so a file left by a killed process is replaced. Otherwise the name contains this
 * process's pid, and a number if such a file exists, because processes of two containers can have
 * the same pid. 0 or -errno. */
int cua_fresh_open(struct cua_fresh_file *file, const char *path, mode_t mode, bool locked);
/* Flushes the file and moves it to its place. 0; or -errno, and the file is dropped. The descriptor
 * stays open. */
int cua_fresh_keep(struct cua_fresh_file *file);
void cua_fresh_drop(struct cua_fresh_file *file);
/* Removes the files that killed processes left beside `path`, if their names contain a pid (not
 * `locked`), and if they were neither written nor renamed in the last ten seconds. */
void cua_fresh_sweep(const char *path);

/* Writes a whole file with exactly this mode, and with the owner of `like` unless that is NULL. */
int cua_replace_file(const char *path, const void *bytes, size_t size, mode_t mode,
                     const struct stat *like, bool locked);

#endif
