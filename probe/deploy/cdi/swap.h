/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces the text of another tool's file, unless that file has changed since it was read. */
#ifndef CUA_CDI_SWAP_H
#define CUA_CDI_SWAP_H

#include <sys/stat.h>

/* Reads a regular file of at most 4 MiB without NUL bytes. Returns its text, which the caller
 * frees; `st` receives the file's fstat. NULL with errno set on failure. */
char *cua_swap_read(const char *path, struct stat *st);

/* Replaces the file at `path` in one step by a file that has the text `made` and the mode, owner
 * and group of `was`. Does so only if the file is still the one whose fstat is `was`, and still has
 * the text `text`. Returns
 * - 0: done;
 * - -EAGAIN: another program has changed or replaced the file, or has it open for writing; that
 *   program's file is at `path`;
 * - another -errno: any other failure. If another program's file could not be put back to `path`,
 *   it is kept as PATH.cuarbiter-kept.
 * Where the file system cannot exchange two files, as NFS, the file is replaced by rename(2): a
 * program that writes it between the last look and the rename loses what it wrote. */
int cua_swap(const char *path, const char *text, const struct stat *was, const char *made);

#endif
