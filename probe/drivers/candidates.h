/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the candidates, the files that may be a libcuda: each file once, however many paths lead
 * to it.
 *
 * The subject is the process that is examined (machine/subject.h). The loader's choice is the file
 * that ld.so would take without cuarbiter. A native libcuda is the kernel driver's own
 * (facts/native.h). A compat folder is one for libcudas that are newer than the kernel driver
 * (folders.h). A version is doubtful if it was read from the file's name and another file may be
 * mounted over that file. A file is trusted if only root and the caller could have put it there
 * (machine/trust.h). Brought drivers are those that `cuarbiter driver add` has put into a store
 * (store.h). */
#ifndef CUA_CANDIDATES_H
#define CUA_CANDIDATES_H

#include <limits.h>
#include <stdint.h>
#include <sys/stat.h>

#include "facts/facts.h"
#include "machine/trust.h"
#include "machine/subject.h"

/* A bit besides those of enum cua_found: the file was found by a relative entry of
 * LD_LIBRARY_PATH. */
#define CUA_BY_RELATIVE (1u << 31)

/* At most this many folders are read. A folder that is found in several ways, or by several paths,
 * may count several times. */
#define CUA_FOLDERS_MAX 640

struct cua_gatherer {
    struct cua_facts *facts;
    const struct cua_subject *subject;
    unsigned machine;
    /* cua_mount_at (machine/subject.h) works here, so it is called to find out whether a candidate
     * is a mount point. */
    bool asks_mounts;
    /* No native libcuda has been found outside compat folders (set by find_mounted in umds.c). */
    bool missing;
    /* The file that is added next is the loader's choice: its version may remain doubtful. */
    bool loaders;
    /* All candidates are being gathered. If cua_mount_at does not work, the list of mounts is then
     * read only once, at the end, for all of them. */
    bool all;
    bool distrusts;       /* some candidate was found by a path that is not trusted */
    size_t folders;       /* number of folders that were read */
    struct cua_opened at; /* what is known of the file that is being added */
    /* Names of libnvidia-* files beside the file that is being added, as "/NAME/NAME/".
     * cua_identify need not look these up. Names may be missing; "": none is known. */
    const char *beside;
    uint64_t budget; /* how many more bytes may be searched, in all files together */
    /* With these members the struct is too large for a thread's stack, so it is allocated. */
    struct cua_trust trust;
    char path[PATH_MAX], file[PATH_MAX];
    struct {
        struct cua_umd_key key;
        unsigned bits; /* how the folder was found: bits of enum cua_found, CUA_BY_RELATIVE */
        /* The folder was not listed; only some usual names were looked up in it (add_folder in
         * umds.c). */
        bool linked;
        uint64_t name; /* a hash of the path */
    } folder[CUA_FOLDERS_MAX];
};

/* Returns the candidate for the file `real`. If there is none yet, adds and identifies one. If the
 * candidate is not trusted yet, checks whether this path can be trusted. A candidate keeps its
 * first path until a trusted one is found. Returns NULL if there are too many candidates or no
 * memory. Closes g->at.fd. Changes g->file.
 *
 * - `real`: the file's path from cua_subject_resolve, or the path of a broken link
 * - `st`: the stat of the file or the broken link
 * - `bits`: how the file was found (enum cua_found, CUA_BY_RELATIVE)
 * - `error`: 0; for a broken link, the -errno of following it */
struct cua_umd *cua_candidate_add(struct cua_gatherer *g, const char *real, const struct stat *st,
                                  unsigned bits, int error);

/* Calls cua_candidate_add for the file at `path`, as `subject` names it; follows links. Also
 * returns NULL if there is no file. Changes g->path and g->file. */
struct cua_umd *cua_candidate_add_path(struct cua_gatherer *g, const struct cua_subject *subject,
                                       const char *path, unsigned bits);

/* Identifies a candidate again, so that its version is not doubtful. The name of a mount point may
 * be that of the file that the mount hides, because Docker mounts over a link's target. So for a
 * mount point, the name of the mounted file on that file's own file system counts (`root`; NULL:
 * look it up) or, if that name has no version, the content. Does nothing for a candidate that is
 * unusable or Tegra's, or whose version is from its content. */
void cua_candidate_make_sure(struct cua_gatherer *g, struct cua_umd *umd, const char *root);

/* Records that the candidate `file`, a path of the subject, is a mount point. Then determines its
 * version and its trust again. Does nothing if `file` is no candidate, or is already known as a
 * mount point. `root`: the path of the mounted file on that file's own file system. */
void cua_candidate_mounted(struct cua_gatherer *g, const char *file, const char *root);

#endif
