/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the containers in a log folder, by the lines that cuarbiter's OCI hook and NRI plugin
 * write. A container may have several lines: it was started again, or both wrote one. The latest
 * counts. */
#ifndef CUA_SUMMARY_CONTAINERS_H
#define CUA_SUMMARY_CONTAINERS_H

#include "command/summary/counts.h"
#include "command/summary/record.h"

/* Takes in a line about a container. `added`: the container got cuarbiter. */
void cua_containers_add(struct cua_counts *counts, const struct cua_record *record, bool added);

/* Counts the containers into `containers`, `off` and `left`. Call it once, after all lines. */
void cua_containers_count(struct cua_counts *counts);

#endif
