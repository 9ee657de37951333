/* SPDX-License-Identifier: Apache-2.0 */
/* Writes inside a program's process: they raise no signal and leave no half-written file. */
#ifndef CUA_SAFE_WRITE_H
#define CUA_SAFE_WRITE_H

#include <stdbool.h>
#include <stddef.h>

/* One write(2). A pipe without a reader and a limit on file sizes raise no signal. False if not all
 * of it was written. */
bool cua_safe_write(int fd, const void *bytes, size_t size);

/* A small file in an open folder, by rename: under `name` lies the old file or the new one, never a
 * part. Mode 0600. 0 or -errno. */
int cua_safe_write_entry(int folder, const char *name, const void *bytes, size_t size);

#endif
