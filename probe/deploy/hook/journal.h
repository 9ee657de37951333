/* SPDX-License-Identifier: Apache-2.0 */
/* The journal has one JSON line for each container that the hook was started for, and for each
 * container with a GPU that the hook missed (deploy/nri/missed.h): docs/node.md. */
#ifndef CUA_HOOK_JOURNAL_H
#define CUA_HOOK_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "deploy/hook/config.h"

#define CUA_JOURNAL     "containers.jsonl"
#define CUA_JOURNAL_OLD "containers.1.jsonl"

/* The reason in the line about a container that refuses cuarbiter. */
#define CUA_JOURNAL_REFUSED "the container refuses it"

/* Appends a line to the file `name` in CUA_DIR_LOG. False if that folder does not exist, or if
 * another user could write to the file. A file that has reached a mebibyte is first renamed to
 * `older`. */
bool cua_journal_write(const char *name, const char *older, const char *line, size_t size);

/* Reads the file `name` in CUA_DIR_LOG. The text is to be freed; NULL if the file is missing, or if
 * another user could have written to it. */
char *cua_journal_read(const char *name, size_t *size);

/* Writes the line about a container to CUA_JOURNAL. `did`: "added", "left" or "missed". `why`: why
 * the container did not get cuarbiter, or NULL. `drivers`: the brought drivers that the container
 * got, or why it got none; "": the node has none. */
void cua_journal(const struct cua_container *container, const char *did, const char *why, int error,
                 const char *drivers);

#endif
