/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the containers in a log folder, by the lines that cuarbiter's OCI hook and NRI plugin
 * write. A container has several lines if it was started again, or if both the hook and the
 * plugin wrote one. The latest line counts. */
#ifndef CUA_SUMMARY_CONTAINERS_H
#define CUA_SUMMARY_CONTAINERS_H

#include <stdbool.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "command/summary/record.h"

/* A reason why containers did not get cuarbiter, and the number of these containers. */
struct cua_why {
    UT_hash_handle hh;
    unsigned long containers;
    char text[];
};

/* A container, by its latest line. */
struct cua_box {
    UT_hash_handle hh;
    char time[32];
    bool added, off; /* `off`: by its policy, its programs do not use cuarbiter */
    char *why;       /* why it did, or did not, get cuarbiter; owned */
    char id[];
};

struct cua_containers {
    struct cua_box *boxes;    /* all containers */
    struct cua_why *left;     /* reasons why containers did not get cuarbiter */
    unsigned long count, off; /* `off`: got cuarbiter, but their policy turns it off */
    unsigned long unnamed;    /* lines without an ID */
    bool short_of_memory;
};

/* Takes in a line about a container. `added`: the container got cuarbiter. */
void cua_containers_add(struct cua_containers *containers, const struct cua_record *record,
                        bool added);

/* Fills in `count`, `off` and `left`. Call it once, after all lines. */
void cua_containers_count(struct cua_containers *containers);

#endif
