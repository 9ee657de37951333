/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the file that ld.so would open for a name. Follows glibc (elf/dl-load.c): the chain of
 * RPATHs unless the requester has a RUNPATH, LD_LIBRARY_PATH, RUNPATH, the cache with hwcaps, the
 * default folders; expands $ORIGIN, $LIB, $PLATFORM. Mapped libraries are not considered. */
#ifndef CUA_SEARCH_H
#define CUA_SEARCH_H

#include <limits.h>

#include "elf/file.h"
#include "loader/ldcache.h"
#include "loader/ldso.h"
#include "loader/requester.h"
#include "machine/subject.h"

/* What several searches, one after the other, have in common. */
struct cua_search {
    const struct cua_subject *subject;
    struct cua_ldso ldso;
    struct cua_cache *cache; /* NULL: not read yet */
    unsigned folders;        /* number of folders whose subfolders were looked for */
    /* The answerer chooses a libcuda, so system calls that ld.so does not make are allowed. */
    bool judges;
    dev_t device;        /* device of the last folder */
    bool counts;         /* on `device` a folder's link count shows how many subfolders it has */
    struct cua_elf *elf; /* NULL; or the file that is found is opened here, with this state: */
    enum cua_elf_state state;
    int *opened; /* NULL; or receives the descriptor of the file, if `elf` is NULL */
    /* A file could not be checked now, but ld.so may find it a moment later. */
    bool unsure;
    /* Folder of the program, for $ORIGIN in LD_LIBRARY_PATH; "" if it is not known. */
    char program[PATH_MAX];
    /* Used by the current search. Too large for a thread's stack. */
    char folder[PATH_MAX], file[PATH_MAX], subfolder[PATH_MAX];
};

void cua_search_start(struct cua_search *search, const struct cua_subject *subject, bool judges);
void cua_search_end(struct cua_search *search);

/* Writes the file that ld.so would open on behalf of `requester` (NULL: a plain program without
 * search paths) to `out` (PATH_MAX bytes), as this process can open it. 0; or -ENOENT and "". */
int cua_search_find(struct cua_search *search, const struct cua_requester *requester,
                    const char *name, char *out);

/* Runs one search. 0; -ENOENT or -ENOMEM and ""; or -EAGAIN, with any `out`, if the result is
 * unsure. `opened`: NULL; or -1, which is replaced by a descriptor of the file. */
int cua_loader_find(const struct cua_subject *subject, const struct cua_requester *requester,
                    const char *name, char *out, int *opened);

#endif
