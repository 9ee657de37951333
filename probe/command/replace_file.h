/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that are replaced at once or not at all: written beside their place under another name,
 * flushed, then renamed. What they lead to by links is the caller's business.
 */
#ifndef CUA_REPLACE_FILE_H
#define CUA_REPLACE_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#define CUA_FRESH_SUFFIX ".cuarbiter-new"

struct cua_fresh_file {
    int fd;
    const char *path;         /* the caller's */
    char name[PATH_MAX + 32]; /* where it is written; "" once it is kept or dropped */
};

/* Opens it for writing, with a mode that the umask cuts. `locked`: nobody else writes this path, so
 * that what a killed process left is replaced; else the name holds the process's number. 0 or
 * -errno. */
int cua_fresh_open(struct cua_fresh_file *file, const char *path, mode_t mode, bool locked);
/* Flushes it and puts it in its place; 0, or -errno and it is dropped. The descriptor stays open.
 */
int cua_fresh_keep(struct cua_fresh_file *file);
void cua_fresh_drop(struct cua_fresh_file *file);

/* A whole file with exactly this mode, and with the owner of `like` unless that is NULL. */
int cua_replace_file(const char *path, const void *bytes, size_t size, mode_t mode,
                     const struct stat *like, bool locked);

#endif
