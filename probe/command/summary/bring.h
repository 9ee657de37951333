/* SPDX-License-Identifier: Apache-2.0 */
/* Which drivers could be brought for the processes of a log folder that no driver there was new
 * enough for. */
#ifndef CUA_SUMMARY_BRING_H
#define CUA_SUMMARY_BRING_H

#include "command/summary/counts.h"

/* Processes for which the same driver could be brought, or none for the same reason. */
struct cua_bring {
    UT_hash_handle hh;
    char version[32]; /* "": none could */
    char why[400];    /* for the first kind of machine; or why none could */
    unsigned long processes;
    struct cua_word *hosts;
    char key[];
};

/* Makes the list, most processes first; NULL: no process ended so. Judges by the tables, and for
 * archives of this machine's architecture. */
struct cua_bring *cua_bring_of(struct cua_counts *counts);

#endif
