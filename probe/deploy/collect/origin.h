/* SPDX-License-Identifier: Apache-2.0 */
/* For `cuarbiter node collect`, the collector of reports (collect.h): the containers that reports
 * came from. Each container has an entry with its names in Kubernetes, and with the number of bytes
 * that may still be written to the log for it. */
#ifndef CUA_COLLECT_ORIGIN_H
#define CUA_COLLECT_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

#include "deploy/collect/sender.h"

/* The most bytes of reports that may be written at once: of one container, and of all containers
 * together. What is used up is refilled evenly within an hour. The limit of one container is an
 * eighth of a log file, so that one container alone needs hours to push the reports of others out
 * of the log. */
#define CUA_ORIGIN_BYTES (128 << 10)
#define CUA_ORIGIN_ALL   (1 << 20)

struct cua_origin {
    char id[CUA_SENDER_ID + 1]; /* "": the entry of all senders whose container is not known */
    /* The container's names in Kubernetes, from the line about the container in the OCI hook's
     * journal (deploy/hook/journal.h); "" if there is none. */
    char namespace[256], pod[256], name[256];
    long long left, at; /* bytes that may still be written, as of the time `at` (milliseconds) */
    long long used; /* when cua_origin_find last returned this entry, in milliseconds; 0: never */
};

/* Returns the entry of the container `id`, never NULL; makes a new entry if there is none. If the
 * table of entries is full, the new entry replaces the one that has been unused the longest. */
struct cua_origin *cua_origin_find(const char *id);

/* Whether `bytes` bytes may be written for this container now. If so, counts them against both
 * limits above. */
bool cua_origin_may(struct cua_origin *origin, size_t bytes);

#endif
