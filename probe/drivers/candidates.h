/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the candidates: each file once, however many paths lead to it. */
#ifndef CUA_CANDIDATES_H
#define CUA_CANDIDATES_H

#include <limits.h>
#include <stdint.h>
#include <sys/stat.h>

#include "facts/facts.h"
#include "machine/trust.h"
#include "machine/subject.h"

/* A bit for the gatherer, used together with enum cua_found: the file was found by a relative entry
 * of LD_LIBRARY_PATH. */
#define CUA_BY_RELATIVE (1u << 31)

/* Limits how many folders are read. A folder counts once for each way that leads to it. */
#define CUA_FOLDERS_MAX 640

struct cua_gatherer {
    struct cua_facts *facts;
    const struct cua_subject *subject;
    unsigned machine;
    bool asks_mounts; /* the kernel reports whether a file is mounted */
    bool missing;     /* there is no native libcuda so far */
    /* The next file is the loader's choice, and may keep a doubtful version. */
    bool loaders;
    bool all;             /* all candidates are searched for: mounts are read at the end, at once */
    bool distrusts;       /* other users can change the name that a file was first found under */
    size_t folders;       /* number of folders that were read */
    struct cua_opened at; /* the file that is being added */
    /* The names of some files in its folder, in the form that cua_identify expects. */
    const char *beside;
    uint64_t budget; /* how many more bytes may be searched to identify files */
    /* Too large for the stack of one of the program's threads. */
    struct cua_trust trust;
    char path[PATH_MAX], file[PATH_MAX];
    struct {
        struct cua_umd_key key;
        unsigned bits; /* the ways in which it was found, bits of enum cua_found */
        /* The folder was not read; only names that lead to a libcuda were looked up. */
        bool linked;
        uint64_t name; /* a hash of the path */
    } folder[CUA_FOLDERS_MAX];
};

/* Adds the file `real`, whose status is `st`, as a candidate; `bits` says how it was found. A new
 * candidate is identified, and it is checked whether it can be trusted. `error`: 0, or the error of
 * following `real`, a link. If a file has several names, the first trusted one is kept, else the
 * first. Returns NULL if there is no room. Changes g->path and g->file. */
struct cua_umd *cua_candidate_add(struct cua_gatherer *g, const char *real, const struct stat *st,
                                  unsigned bits, int error);

/* The same for a path as `subject` names it; NULL if nothing is there. Changes g->path and
 * g->file. */
struct cua_umd *cua_candidate_add_path(struct cua_gatherer *g, const struct cua_subject *subject,
                                       const char *path, unsigned bits);

/* Settles the version of a candidate that may be a mount point. Its name is that of the file it
 * hides, because Docker follows a link at the place that it mounts over. The version is taken from
 * the name of what is mounted there (`root`; NULL: not known yet), else from the file's content;
 * else it is unknown. */
void cua_candidate_make_sure(struct cua_gatherer *g, struct cua_umd *umd, const char *root);

/* Notes that the candidate at `file`, as the subject names it, lies on a mount of `root`. */
void cua_candidate_mounted(struct cua_gatherer *g, const char *file, const char *root);

#endif
