/* SPDX-License-Identifier: Apache-2.0 */
/* Writes one JSON line for each container that the hook was started for: docs/node.md. */
#ifndef CUA_HOOK_JOURNAL_H
#define CUA_HOOK_JOURNAL_H

#include "deploy/hook/config.h"

/* Writes a line to CUA_DIR_LOG, if that folder exists and only this user can write to the file;
 * else nothing. When the file reaches a mebibyte, it is renamed to CUA_JOURNAL_OLD. `why`: why the
 * container was left alone, or NULL. `drivers`: which brought drivers it has, or why none; "": the
 * node has none. */
#define CUA_JOURNAL     "containers.jsonl"
#define CUA_JOURNAL_OLD "containers.1.jsonl"
void cua_journal(const struct cua_container *container, const char *why, int error,
                 const char *drivers);

#endif
