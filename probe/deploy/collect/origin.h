/* SPDX-License-Identifier: Apache-2.0 */
/* The containers that reports came from: what is known of each, and how much more it may write. */
#ifndef CUA_COLLECT_ORIGIN_H
#define CUA_COLLECT_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

#include "deploy/collect/sender.h"

/* Bytes that may be written at once, and then within an hour: of one container, and of all. Less
 * than a whole file of the log, so that no container alone can push out what others wrote before.
 */
#define CUA_ORIGIN_BYTES (128 << 10)
#define CUA_ORIGIN_ALL   (1 << 20)

struct cua_origin {
    char id[CUA_SENDER_ID + 1]; /* "": all senders whose container is not known */
    /* As the hook has written them to its journal; "" if it has not. */
    char namespace[256], pod[256], name[256];
    long long left, at; /* bytes that it may write, as of this time */
    long long used;     /* when it was asked for last */
};

/* Returns the container, never NULL. When too many are known, the one that was silent longest is
 * forgotten. */
struct cua_origin *cua_origin_find(const char *id);

/* Whether it may write so many bytes now; they are subtracted. */
bool cua_origin_may(struct cua_origin *origin, size_t bytes);

#endif
