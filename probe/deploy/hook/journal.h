/* SPDX-License-Identifier: Apache-2.0 */
/* The journal of cuarbiter's OCI hook: files in CUA_DIR_LOG with one JSON line for each container
 * that the hook was started for, and for each container with a GPU that the hook missed
 * (deploy/nri/missed.h). docs/node.md describes them. */
#ifndef CUA_HOOK_JOURNAL_H
#define CUA_HOOK_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "deploy/hook/config.h"

#define CUA_JOURNAL     "containers.jsonl"
#define CUA_JOURNAL_OLD "containers.1.jsonl"

/* Appends a line to the file `name` in CUA_DIR_LOG. False if that folder does not exist, if another
 * user owns the file or could write to it, or if writing fails. A file that has reached a mebibyte
 * is first renamed to `older`, unless another process is just doing that. The log of `cuarbiter
 * node collect` is written by this function too. */
bool cua_journal_write(const char *name, const char *older, const char *line, size_t size);

/* Reads the file `name` in CUA_DIR_LOG. The text is to be freed. NULL if the file is missing,
 * cannot be read, or is longer than two mebibytes, or if another user owns it or could write to
 * it. */
char *cua_journal_read(const char *name, size_t *size);

/* Writes the line about a container to CUA_JOURNAL.
 * - `did`: "added": the container got cuarbiter; "left": the hook ran but left the container alone,
 *   or its root does not respond (nri/missed.c); "missed": the hook did not run.
 * - `why`: why the container did not get cuarbiter, or NULL.
 * - `error`: 0, or a -errno that belongs to `why`.
 * - `drivers`: the drivers from the node's store (brought.h) that the container got, or why it got
 *   none. "": the node has none, or the container did not get cuarbiter.
 * A line with a `why` is not written if it repeats the container's last line, of the last ten
 * seconds. */
void cua_journal(const struct cua_container *container, const char *did, const char *why, int error,
                 const char *drivers);

#endif
