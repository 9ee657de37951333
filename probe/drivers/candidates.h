/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the candidates, the files that may be a libcuda: each file once, however many paths lead
 * to it.
 *
 * The subject is the process that is examined (machine/subject.h). The loader's choice is the file
 * that ld.so alone would take. A native libcuda is the kernel driver's own (facts/native.h). A
 * compat folder is one for libcudas that are newer than the kernel driver (folders.h). A version is
 * doubtful if it is from the file's name and another file may be mounted over that one. A file is
 * trusted if only root and the caller could have put it there (machine/trust.h). Brought drivers
 * are those that `cuarbiter driver add` has put into a store (store.h). */
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

/* The most folders that are read. A folder counts again for each further way in which it is found,
 * and may count again for a further path. */
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
    /* All candidates are being gathered. So the list of mounts is read once, at the end, not for
     * each file. */
    bool all;
    bool distrusts;       /* some candidate was found by a path that is not trusted */
    size_t folders;       /* number of folders that were read */
    struct cua_opened at; /* what is known of the file that is being added */
    /* Names of some files in the folder of the file that is being added, in the form that
     * cua_identify expects. */
    const char *beside;
    uint64_t budget; /* how many more bytes of all files may be searched to identify them */
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

/* Adds the file `real` as a candidate, or finds the candidate that it is already. `real`: its path
 * from cua_subject_resolve. `st`: its stat. `bits`: how it was found (enum cua_found,
 * CUA_BY_RELATIVE). `error`: 0; or, if `real` is a broken link, the -errno of following it. A new
 * candidate is identified; a candidate that is not trusted yet is checked for trust by this path.
 * Of several paths of a file, the first trusted one is kept, else the first. Returns NULL if there
 * are too many candidates or no memory. Closes g->at.fd. Changes g->file. */
struct cua_umd *cua_candidate_add(struct cua_gatherer *g, const char *real, const struct stat *st,
                                  unsigned bits, int error);

/* Calls cua_candidate_add for a path of `subject`, which may contain links. Returns NULL also if no
 * file is there. Changes g->path and g->file. */
struct cua_umd *cua_candidate_add_path(struct cua_gatherer *g, const struct cua_subject *subject,
                                       const char *path, unsigned bits);

/* Finds out the version of a candidate that may be a mount point. The name of a mount point may
 * show the version of the file below the mount: if a file is to be mounted over a link, Docker
 * mounts it over the file that the link leads to. So the version is taken from the name that the
 * mounted file has on its own file system (`root`; NULL: that is not known yet), else from the
 * file's content; else it is unknown. A candidate that is unusable, Tegra's, or has its version
 * from its content stays as it is. */
void cua_candidate_make_sure(struct cua_gatherer *g, struct cua_umd *umd, const char *root);

/* Called for a mount point `file`, a path of the subject. `root`: the path that the mounted file
 * has on its own file system. If `file` is a candidate that is not known as a mount point yet,
 * records that it is one, then determines its version, and whether it is trusted, once more. */
void cua_candidate_mounted(struct cua_gatherer *g, const char *file, const char *root);

#endif
