/* SPDX-License-Identifier: Apache-2.0 */
/* The containers that reports came from: the names of each, and how many bytes may still be written
 * for it. */
#ifndef CUA_COLLECT_ORIGIN_H
#define CUA_COLLECT_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

#include "deploy/collect/sender.h"

/* How many bytes of reports may be written at once, and then again within an hour: for one
 * container, and for all. One container's share is less than a file of the log, so that no
 * container alone can push out the reports of others. */
#define CUA_ORIGIN_BYTES (128 << 10)
#define CUA_ORIGIN_ALL   (1 << 20)

struct cua_origin {
    char id[CUA_SENDER_ID + 1]; /* "": all senders whose container is not known */
    /* The names that the hook wrote to its journal; "" if there are none. */
    char namespace[256], pod[256], name[256];
    long long left, at; /* `left`: bytes that may still be written, as of the time `at` */
    long long used;     /* when cua_origin_find returned it last */
};

/* Returns the container, never NULL. If too many are known, forgets the one that was silent
 * longest. */
struct cua_origin *cua_origin_find(const char *id);

/* Whether `bytes` may be written for this container now. If so, subtracts them from what is
 * left. */
bool cua_origin_may(struct cua_origin *origin, size_t bytes);

#endif
