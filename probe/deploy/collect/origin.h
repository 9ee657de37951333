/* SPDX-License-Identifier: Apache-2.0 */
/* For `cuarbiter node collect`, the collector of reports (collect.h): the containers that reports
 * came from. Each has an entry with its names in Kubernetes, and with how many bytes of its reports
 * may still be written to the log. */
#ifndef CUA_COLLECT_ORIGIN_H
#define CUA_COLLECT_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

#include "deploy/collect/sender.h"

/* Limits for the bytes of reports, of one container and of all containers: so many may be written
 * at once, and so many more in each hour after that. The limit of one container is an eighth of a
 * log file, so that one container alone needs hours to push the reports of others out of the
 * log. */
#define CUA_ORIGIN_BYTES (128 << 10)
#define CUA_ORIGIN_ALL   (1 << 20)

struct cua_origin {
    char id[CUA_SENDER_ID + 1]; /* "": the entry of all senders whose container is not known */
    /* The container's names in Kubernetes, from the line that the OCI hook wrote about it to its
     * journal (deploy/hook/journal.h); "" if there is none. */
    char namespace[256], pod[256], name[256];
    /* `left`: bytes that may still be written, as of the time `at`. `used`: time when
     * cua_origin_find last returned this entry; 0: never. Times are in milliseconds. */
    long long left, at;
    long long used;
};

/* Returns the entry of the container `id`, never NULL; makes it if there is none. If the table of
 * entries is full, the new entry replaces the one that was not used for the longest time. */
struct cua_origin *cua_origin_find(const char *id);

/* Whether `bytes` bytes may be written for this container now. If so, subtracts them from what may
 * still be written for it, and from what may still be written for all containers. */
bool cua_origin_may(struct cua_origin *origin, size_t bytes);

#endif
