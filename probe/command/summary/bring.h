/* SPDX-License-Identifier: Apache-2.0 */
/* Finds drivers to bring for those processes in a log folder for which no driver was new enough. */
#ifndef CUA_SUMMARY_BRING_H
#define CUA_SUMMARY_BRING_H

#include "command/summary/counts.h"

/* Processes for which the same driver could be brought, or none for the same reason. */
struct cua_bring {
    UT_hash_handle hh;
    char version[32]; /* "": none could */
    char why[400];    /* why it suits the first kind of machine; or why none could */
    unsigned long processes;
    struct cua_word *hosts;
    char key[];
};

/* Makes the list, most processes first; NULL: there are no such processes. Judges by the tables,
 * and for archives of this machine's architecture. */
struct cua_bring *cua_bring_of(struct cua_counts *counts);

#endif
