/* SPDX-License-Identifier: Apache-2.0 */
/* The containers that reports came from: the names of each, and how many bytes of reports may still
 * be written for it. */
#ifndef CUA_COLLECT_ORIGIN_H
#define CUA_COLLECT_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

#include "deploy/collect/sender.h"

/* Limits for the bytes of reports, for one container and for all: so many may be written at once,
 * and so many again in each hour after that. The limit of one container is less than a file of the
 * log, so that no container alone can push out the reports of others. */
#define CUA_ORIGIN_BYTES (128 << 10)
#define CUA_ORIGIN_ALL   (1 << 20)

struct cua_origin {
    char id[CUA_SENDER_ID + 1]; /* "": all senders whose container is not known */
    /* The names that the hook wrote to its journal; "" if there are none. */
    char namespace[256], pod[256], name[256];
    long long left, at; /* `left`: bytes that may still be written, as of the time `at` */
    long long used;     /* when cua_origin_find last returned this entry; 0: never */
};

/* Returns the entry of the container `id`, never NULL. If the table is full, a new entry replaces
 * the one that was not used for the longest time. */
struct cua_origin *cua_origin_find(const char *id);

/* Whether `bytes` may be written for this container now. If so, subtracts them from what may still
 * be written for it, and for all. */
bool cua_origin_may(struct cua_origin *origin, size_t bytes);

#endif
