/* SPDX-License-Identifier: Apache-2.0 */
/* For `cuarbiter node collect`, the collector of reports (collect.h): checks a datagram, whose
 * sender may be hostile, and makes from it a line of the collector's log, reports.jsonl. */
#ifndef CUA_COLLECT_CLAIM_H
#define CUA_COLLECT_CLAIM_H

#include <stddef.h>
#include <sys/types.h>

#include "deploy/collect/origin.h"

#define CUA_CLAIM_LINE 32768

/* Writes a log line, as docs/log.schema.json describes it, to `line` (CUA_CLAIM_LINE bytes). Adds
 * the time and the node's name, the container and its names from `origin`, and the sender's user,
 * `uid`. All other members come from the datagram (`text`, `size` bytes); each is checked, decoded
 * and escaped anew. Returns the line's length; 0 if the datagram is not one line with one JSON
 * object that has these members (cuda, kmd and gpus may be missing), or if the log line would be
 * too long. */
size_t cua_claim_print(char *line, const char *text, size_t size, const struct cua_origin *origin,
                       uid_t uid);

#endif
