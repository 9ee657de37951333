/* SPDX-License-Identifier: Apache-2.0 */
/* Finds drivers that `cuarbiter driver add` could add for those processes in a log folder for which
 * no driver was new enough. */
#ifndef CUA_SUMMARY_BRING_H
#define CUA_SUMMARY_BRING_H

#include "command/summary/counts.h"

/* Processes that the same driver would help, or that none would help, for the same reason. */
struct cua_bring {
    UT_hash_handle hh;
    char version[32]; /* version of the driver; "": none would help */
    char why[400];    /* why it suits the first of these machines; or why none would help */
    unsigned long processes;
    struct cua_word *hosts;
    char key[];
};

/* Makes the list, most processes first; NULL: no driver was missing. Judges by the tables, for
 * archives of this machine's architecture. If memory is short, the list is not complete, and
 * counts->short_of_memory is set. */
struct cua_bring *cua_bring_of(struct cua_counts *counts);

#endif
