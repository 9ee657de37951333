/* SPDX-License-Identifier: Apache-2.0 */
/* The files of one run of `code`, grouped by package, archive or path. */
#ifndef CUA_CODE_TREE_H
#define CUA_CODE_TREE_H

#include "command/code/look.h"

/* Examines a file, or everything in a folder; prints error messages. */
void cua_code_walk(struct cua_code_look *look, const char *path);
/* Assigns each file to its package, and sorts the files. */
void cua_code_walked(struct cua_code_look *look);

/* The number of files from index `from` on that are in the same group. */
size_t cua_code_group(const struct cua_code_look *look, size_t from);
/* Whether a file's result for a target is among those named by --fail-on. */
bool cua_code_fails(const struct cua_code_look *look, const struct cua_code_file *file,
                    size_t target);

#endif
