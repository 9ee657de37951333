/* SPDX-License-Identifier: Apache-2.0 */
/* Writes one JSON line for each container that the hook was started for: docs/node.md. */
#ifndef CUA_HOOK_JOURNAL_H
#define CUA_HOOK_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "deploy/hook/config.h"

#define CUA_JOURNAL     "containers.jsonl"
#define CUA_JOURNAL_OLD "containers.1.jsonl"

/* Writes a line to the file `name` of CUA_DIR_LOG, if that folder exists and only this user can
 * write to the file; else false. When the file has reached a mebibyte, it is renamed to `older`
 * before. */
bool cua_journal_write(const char *name, const char *older, const char *line, size_t size);

/* Writes such a line to CUA_JOURNAL. `why`: why the
 * container was left alone, or NULL. `drivers`: which brought drivers it has, or why none; "": the
 * node has none. */
void cua_journal(const struct cua_container *container, const char *why, int error,
                 const char *drivers);

#endif
