/* SPDX-License-Identifier: Apache-2.0 */
/* The candidates while they are gathered: each file once, however many ways lead to it. */
#ifndef CUA_CANDIDATES_H
#define CUA_CANDIDATES_H

#include <limits.h>
#include <sys/stat.h>

#include "facts/facts.h"
#include "machine/trust.h"
#include "machine/subject.h"

/* Beside enum cua_found, while gathering: by which kind of path entry a file was found. */
#define CUA_BY_ABSOLUTE (1u << 30)
#define CUA_BY_RELATIVE (1u << 31)
#define CUA_PUBLIC_BITS (CUA_BY_ABSOLUTE - 1)

struct cua_folder {
    struct cua_umd_key key;
    bool holds; /* a candidate */
    bool whole; /* every name in it was looked at */
};

struct cua_gatherer {
    struct cua_facts *facts;
    const struct cua_subject *subject;
    unsigned machine;
    const char *reading;       /* the folder that is being read */
    unsigned bits;             /* how it was found */
    bool holds;                /* there is a candidate in it */
    bool astray;               /* a link led out of its folder */
    bool asks_mounts;          /* the kernel tells of a file whether it is mounted */
    bool missing;              /* no native libcuda was found */
    bool in_doubt;             /* the next one may keep a doubtful version */
    bool all;                  /* all are looked for: mounts come last, in one go */
    struct cua_folder *folder; /* what was looked at */
    size_t folders, room;
    /* Too large for the stack of somebody's thread. */
    struct cua_trust trust;
    char path[PATH_MAX], real[PATH_MAX], file[PATH_MAX];
};

/* The candidate `real`, which is `st` and no link, with `bits` of how it was found; identified
 * where it is a new one. NULL where there is no room. */
struct cua_umd *cua_candidate_add(struct cua_gatherer *g, const char *real, const struct stat *st,
                                  unsigned bits);

/* A link that leads nowhere, which is told as what it is; `error` is what became of following it.
 */
void cua_candidate_add_link(struct cua_gatherer *g, const char *link, int error, unsigned bits);

/* By a path as `subject` names it; NULL where there is nothing. Changes g->path. */
struct cua_umd *cua_candidate_add_path(struct cua_gatherer *g, const struct cua_subject *subject,
                                       const char *path, unsigned bits);

/* The candidate of this very file, NULL where it is none yet. */
struct cua_umd *cua_candidate_find(const struct cua_gatherer *g, const struct stat *st);

/* A mount point's name is that of the file it hides: Docker follows a link at the place that it
 * mounts over. Its version is told by what is mounted there (`root`, NULL: not known yet), else by
 * the file's content, else unknown. */
void cua_candidate_make_sure(struct cua_gatherer *g, struct cua_umd *umd, const char *root);

/* Fills `trusted` and `distrust` of all, when all is known of how they were found. */
void cua_candidates_judge_trust(struct cua_gatherer *g);

#endif
