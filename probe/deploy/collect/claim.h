/* SPDX-License-Identifier: Apache-2.0 */
/* What a datagram says. Its sender may be hostile. */
#ifndef CUA_COLLECT_CLAIM_H
#define CUA_COLLECT_CLAIM_H

#include <stddef.h>
#include <sys/types.h>

#include "deploy/collect/origin.h"

#define CUA_CLAIM_LINE 32768

/* Writes a line as docs/log.schema.json describes it: time, host, container and user as the node
 * knows them, and of what the datagram says the members of a first decision, each checked, decoded
 * and escaped anew. Returns its length; 0 if the datagram is not one line with one object that has
 * these members. `line`: CUA_CLAIM_LINE bytes. */
size_t cua_claim_print(char *line, const char *text, size_t size, const struct cua_origin *origin,
                       uid_t uid);

#endif
