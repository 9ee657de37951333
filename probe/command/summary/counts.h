/* SPDX-License-Identifier: Apache-2.0 */
/* The processes of a log folder, counted. What lies there may be anything. */
#ifndef CUA_COUNTS_H
#define CUA_COUNTS_H

#include <stdbool.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

/* A set of texts. */
struct cua_word {
    UT_hash_handle hh;
    char text[];
};

/* Processes that are alike. */
struct cua_alike {
    UT_hash_handle hh;
    char *exe, *policy, *reason, *from, *to;
    long without;
    unsigned long processes;
    struct cua_word *hosts;
    char key[];
};

struct cua_counts {
    int fd;
    struct cua_alike *rows;
    struct cua_word *hosts, *programs, *users;
    struct cua_word *unread, *full; /* names of files */
    unsigned long processes, dry, changed, lines, unknown;
    char first[32], last[32];
    bool short_of_memory;
};

/* Whether a process of this policy got what the loader takes, and would have got something else. */
bool cua_is_dry(const char *policy);

/* Counts all HOST-UID.jsonl of the folder, which is not followed anywhere else. 0 or -errno. */
int cua_counts_read(struct cua_counts *counts, const char *folder);

#endif
