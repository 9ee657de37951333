/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the containers in a log folder. A container may have several lines: it was started again,
 * or two ways brought the hook. Its last line counts. */
#ifndef CUA_SUMMARY_CONTAINERS_H
#define CUA_SUMMARY_CONTAINERS_H

#include "command/summary/counts.h"
#include "command/summary/record.h"

/* Takes a line of a container; `added`: the container got cuarbiter. */
void cua_containers_add(struct cua_counts *counts, const struct cua_record *record, bool added);

/* Fills in `containers`, `off` and `left` when all lines were read. */
void cua_containers_count(struct cua_counts *counts);

#endif
