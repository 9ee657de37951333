/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the candidates, the files that may be a libcuda: each file once, however many paths lead
 * to it. */
#ifndef CUA_CANDIDATES_H
#define CUA_CANDIDATES_H

#include <limits.h>
#include <stdint.h>
#include <sys/stat.h>

#include "facts/facts.h"
#include "machine/trust.h"
#include "machine/subject.h"

/* One more bit besides those of enum cua_found. The file was found by a relative entry of
 * LD_LIBRARY_PATH. */
#define CUA_BY_RELATIVE (1u << 31)

/* The most folders that are read. A folder counts once for each way in which it was found. */
#define CUA_FOLDERS_MAX 640

struct cua_gatherer {
    struct cua_facts *facts;
    const struct cua_subject *subject;
    unsigned machine;
    bool asks_mounts; /* the kernel can tell whether a file is a mount point */
    bool missing;     /* no native libcuda was found so far */
    /* The next file is the loader's choice: its version may stay doubtful. */
    bool loaders;
    bool all; /* all candidates are searched for: the list of mounts is read once, at the end */
    bool distrusts;       /* some file was found by a path that other users can change */
    size_t folders;       /* number of folders that were read */
    struct cua_opened at; /* the file that is being added */
    /* Names of some files in the folder of `at`, in the form that cua_identify expects. */
    const char *beside;
    uint64_t budget; /* how many more bytes of all files may be searched to identify them */
    /* Too large for the stack of one of the program's threads. */
    struct cua_trust trust;
    char path[PATH_MAX], file[PATH_MAX];
    struct {
        struct cua_umd_key key;
        unsigned bits; /* the ways in which the folder was found, bits of enum cua_found */
        /* The folder was not listed; only some names were looked up in it. */
        bool linked;
        uint64_t name; /* a hash of the path */
    } folder[CUA_FOLDERS_MAX];
};

/* Adds the file `real`, whose status is `st`, as a candidate; `bits` says how it was found.
 * Identifies a new candidate, and decides whether to trust it. `error`: 0; or, if `real` is a
 * broken link, the error of following it. If a file has several names, the first trusted name is
 * kept, else the first. Returns NULL if there is no room. Changes g->path and g->file. */
struct cua_umd *cua_candidate_add(struct cua_gatherer *g, const char *real, const struct stat *st,
                                  unsigned bits, int error);

/* Does the same for a path of `subject`, which may contain links; NULL if nothing is there. Changes
 * g->path and g->file. */
struct cua_umd *cua_candidate_add_path(struct cua_gatherer *g, const struct cua_subject *subject,
                                       const char *path, unsigned bits);

/* Finds out the version of a candidate that may be a mount point. A mount point's name may show the
 * version of the hidden file: to mount over a link, Docker mounts over the file that the link leads
 * to. So the version is taken from the name of the mounted file (`root`; NULL: not known yet), else
 * from the file's content; else it is unknown. */
void cua_candidate_make_sure(struct cua_gatherer *g, struct cua_umd *umd, const char *root);

/* Records that another file is mounted on the candidate `file`, a path of the subject. `root`: the
 * path of the mounted file on its own file system. */
void cua_candidate_mounted(struct cua_gatherer *g, const char *file, const char *root);

#endif
