/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the processes in a log folder, whose contents cannot be trusted. */
#ifndef CUA_COUNTS_H
#define CUA_COUNTS_H

#include <stdbool.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

/* An element of a set of texts. */
struct cua_word {
    UT_hash_handle hh;
    char text[];
};

/* Processes with the same result. */
struct cua_alike {
    UT_hash_handle hh;
    char *exe, *policy, *reason, *from, *to;
    long without;
    unsigned long processes;
    struct cua_word *hosts;
    char key[];
};

/* A reason why containers did not get cuarbiter, and the number of these containers. */
struct cua_why {
    UT_hash_handle hh;
    unsigned long containers;
    char text[];
};

/* What the last line of a container says. */
struct cua_box {
    UT_hash_handle hh;
    char time[32];
    bool added, off; /* it got cuarbiter; its programs do not use it */
    char *why;       /* owned */
    char id[];
};

/* Processes on one kind of machine for which no driver of that machine was new enough. */
struct cua_wanting {
    UT_hash_handle hh;
    const char *cuda, *kmd, *gpus; /* as in the record, "" if not known */
    unsigned long processes;
    struct cua_word *hosts;
    char key[];
};

struct cua_counts {
    int fd;
    struct cua_alike *rows;
    struct cua_wanting *wanting;
    struct cua_word *hosts, *programs, *users;
    struct cua_word *unread, *full; /* names of files that could not be read, or are full */
    struct cua_box *boxes;          /* the containers */
    struct cua_why *left;           /* reasons why containers did not get cuarbiter */
    unsigned long containers, off;  /* how many; how many got it with a policy that is off */
    unsigned long processes, dry, changed, lines, unknown;
    char first[32], last[32];
    bool short_of_memory;
};

/* Whether processes with this policy only report: they got what the loader takes, and the log shows
 * what they would have got. */
bool cua_is_dry(const char *policy);

/* Adds a text to a set. */
void cua_counts_add(struct cua_counts *counts, struct cua_word **set, const char *text);

/* Counts the lines in all HOST-UID.jsonl of the folder. Links in it are not followed. 0 or
 * -errno. */
int cua_counts_read(struct cua_counts *counts, const char *folder);

#endif
