/* SPDX-License-Identifier: Apache-2.0 */
/* The files of one run of `cuarbiter code`, grouped by package, archive or path. They are judged
 * for one or more targets, which are pairs of GPU and driver. A file is spare if it does not serve,
 * but another file of its group serves instead (cua_code_result.spare). */
#ifndef CUA_CODE_TREE_H
#define CUA_CODE_TREE_H

#include "command/code/look.h"

/* Examines a file, or everything in a folder, and adds to look->file what is worth reporting.
 * Prints error messages. */
void cua_code_walk(struct cua_code_look *look, const char *path);
/* To be called after the last path: assigns files to their packages, marks the spare ones, and
 * sorts them all. */
void cua_code_walked(struct cua_code_look *look);

/* The number of files from index `from` on that are in the same group. */
size_t cua_code_group(const struct cua_code_look *look, size_t from);
/* Whether a file fails for a target: its result is one that --fail-on names (without --fail-on: 35,
 * 100, 200, 209, 222). A file with CUA_CODE_PART fails if one of its modules has such a result. But
 * a 209 of a module counts only if more modules lack code for the GPU (cua_code_missing) than can
 * run.
 *
 * Two kinds of files do not fail:
 * - a spare file;
 * - without --fail-on, a file with 209 that no examined file needs, if another file of its group
 *   has a module that serves. */
bool cua_code_fails(const struct cua_code_look *look, const struct cua_code_file *file,
                    size_t target);

#endif
