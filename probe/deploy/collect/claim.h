/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a datagram, whose sender may be hostile, and makes a line of the log from it. */
#ifndef CUA_COLLECT_CLAIM_H
#define CUA_COLLECT_CLAIM_H

#include <stddef.h>
#include <sys/types.h>

#include "deploy/collect/origin.h"

#define CUA_CLAIM_LINE 32768

/* Writes a line as docs/log.schema.json describes it. Time, host, container and user come from the
 * node. The other members, those of a process's first decision, come from the datagram; each is
 * checked, decoded and escaped anew. Returns the line's length; 0 if the datagram is not one line
 * with one object that has these members. `line`: CUA_CLAIM_LINE bytes. */
size_t cua_claim_print(char *line, const char *text, size_t size, const struct cua_origin *origin,
                       uid_t uid);

#endif
