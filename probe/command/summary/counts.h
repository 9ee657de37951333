/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the processes and containers in a log folder (machine/log.h). Its contents cannot be
 * trusted, because other users may write there. */
#ifndef CUA_COUNTS_H
#define CUA_COUNTS_H

#include <stdbool.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "command/summary/containers.h"

/* An element of a set of texts. */
struct cua_word {
    UT_hash_handle hh;
    char text[];
};

/* Processes of the same program, policy and result. `reason`, `from`, `to`, `without`: as in struct
 * cua_choice (machine/log.h). */
struct cua_alike {
    UT_hash_handle hh;
    char *exe, *policy, *reason, *from, *to;
    long without;
    unsigned long processes;
    struct cua_word *hosts;
    char key[];
};

/* Processes for which no driver of their machine was new enough. All of them need the same CUDA,
 * and their machines have the same kernel driver and GPUs. */
struct cua_wanting {
    UT_hash_handle hh;
    const char *cuda, *kmd, *gpus; /* as in struct cua_record; "": not known */
    unsigned long processes;
    struct cua_word *hosts;
    char key[];
};

struct cua_counts {
    int fd;
    struct cua_alike *rows;
    struct cua_wanting *wanting;
    struct cua_word *hosts, *programs, *users;
    /* Names of files. `unread`: those that could not be read; `full`: those above 4 MiB, which take
     * no more lines. */
    struct cua_word *unread, *full;
    struct cua_containers containers;
    unsigned long processes, dry, changed, lines, unknown;
    char first[32], last[32];
    bool short_of_memory;
};

/* Whether this policy is `report`, a dry run: cuarbiter changes nothing. `from` is then the
 * libcuda that a process got, and `to` the one that it would have got. */
bool cua_is_dry(const char *policy);

/* Adds a text to a set, unless the set has it. */
void cua_counts_add(struct cua_counts *counts, struct cua_word **set, const char *text);

/* Reads all files *.jsonl of the folder; links there are not followed. `counts` must be all zero
 * before. 0, or -errno if the folder cannot be read. */
int cua_counts_read(struct cua_counts *counts, const char *folder);

#endif
