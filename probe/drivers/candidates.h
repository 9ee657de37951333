/* SPDX-License-Identifier: Apache-2.0 */
/* The candidates while they are gathered: each file once, however many ways lead to it. */
#ifndef CUA_CANDIDATES_H
#define CUA_CANDIDATES_H

#include <limits.h>
#include <stdint.h>
#include <sys/stat.h>

#include "facts/facts.h"
#include "machine/trust.h"
#include "machine/subject.h"

/* Beside enum cua_found, while gathering: by a relative entry of LD_LIBRARY_PATH. */
#define CUA_BY_RELATIVE (1u << 31)

/* Folders are read this often at most, each once for each way that leads to it. */
#define CUA_FOLDERS_MAX 640

struct cua_gatherer {
    struct cua_facts *facts;
    const struct cua_subject *subject;
    unsigned machine;
    bool asks_mounts;     /* the kernel reports whether a file is mounted */
    bool missing;         /* no native libcuda was found */
    bool loaders;         /* the next one is the loader's choice, and may keep a doubtful version */
    bool all;             /* all are looked for: mounts come last, in one go */
    size_t folders;       /* that were read */
    struct cua_opened at; /* the file that is being added */
    const char *beside;   /* files in its folder, as cua_identify takes them */
    uint64_t budget;      /* bytes that may still be searched for who a file is */
    /* Too large for the stack of a thread of the program. */
    struct cua_trust trust;
    char path[PATH_MAX], file[PATH_MAX];
    struct {
        struct cua_umd_key key;
        unsigned bits; /* how it was found */
        bool linked;   /* only names that lead to a libcuda were looked for */
    } folder[CUA_FOLDERS_MAX];
};

/* The candidate `real`, which is `st`, with `bits` of how it was found; identified where it is a
 * new one, its trust judged. `error`: 0, or `real` is a link and this became of following it. NULL
 * where there is no room. Changes g->path. */
struct cua_umd *cua_candidate_add(struct cua_gatherer *g, const char *real, const struct stat *st,
                                  unsigned bits, int error);

/* By a path as `subject` names it; NULL where there is nothing. Changes g->path. */
struct cua_umd *cua_candidate_add_path(struct cua_gatherer *g, const struct cua_subject *subject,
                                       const char *path, unsigned bits);

/* A mount point's name is that of the file it hides: Docker follows a link at the place that it
 * mounts over. Its version is that of what is mounted there (`root`, NULL: not known yet), else by
 * the file's content, else unknown. */
void cua_candidate_make_sure(struct cua_gatherer *g, struct cua_umd *umd, const char *root);

/* The candidate at `file`, as the subject names it, lies on a mount of `root`. */
void cua_candidate_mounted(struct cua_gatherer *g, const char *file, const char *root);

#endif
