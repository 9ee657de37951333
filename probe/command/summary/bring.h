/* SPDX-License-Identifier: Apache-2.0 */
/* Finds drivers that `cuarbiter driver add` could add. They are for those processes in a log folder
 * (counts.h) for which no driver was new enough. */
#ifndef CUA_SUMMARY_BRING_H
#define CUA_SUMMARY_BRING_H

#include "command/summary/counts.h"

/* A group of processes. Either the same driver would help all of them, or no driver would help
 * any of them, for the same reason. */
struct cua_bring {
    UT_hash_handle hh;
    char version[32]; /* version of the driver; "": none would help */
    /* A clause: where that driver runs, or why none would help. If the group has processes of
     * several kinds of machines, the clause describes the first kind. */
    char why[400];
    unsigned long processes;
    struct cua_word *hosts;
    char key[];
};

/* Makes the list of groups, most processes first; NULL: no driver was missing. Considers the driver
 * archives (data/packages.tsv) for this machine's architecture, and judges them by the tables. If
 * memory is short, the list is not complete, and counts->short_of_memory is set. */
struct cua_bring *cua_bring_of(struct cua_counts *counts);

#endif
