/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the answer to the shim (the preloaded library, in the program that asks), in records of
 * cuarbiter/frame.h. Not thread-safe. */
#ifndef CUA_TABLE_H
#define CUA_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "cuarbiter/frame.h"

/* Adds a row: what the shim does when the library `name` is asked for. `known` has the device and
 * inode of `path`; NULL: they are looked up. `keep`: the row also holds for later requests. If
 * `path` leads to no file, the row says CUA_LEAVE, for this request only. If there is no room, the
 * row is left out. */
void cua_table_row(const char *name, enum cua_action action, const char *path,
                   const struct stat *known, bool keep);

/* Adds a text that the shim keeps and sends with every later question. The letter `kind` becomes
 * the first letter of the text. If there is no room, the text is left out. */
void cua_table_kept(char kind, const char *text);

/* cua_table_begin and cua_table_end enclose texts that belong together: if they do not all fit,
 * none is added. `begin` is the result of cua_table_begin. Do not call cua_table_row in between,
 * because it begins and ends such a group itself. */
size_t cua_table_begin(void);
void cua_table_end(size_t begin);

/* Adds a line that the shim writes to the program's standard error. If there is no room, it is
 * lost. */
void cua_table_line(const char *line, size_t size);

/* Writes to the shim, before the answer, that trials (cuInit in a child process) now begin. The
 * shim then waits up to this many seconds longer. */
void cua_table_trial(unsigned seconds);

/* Writes the whole answer to the shim. Returns 0 or -errno. */
int cua_table_write(void);

#endif
