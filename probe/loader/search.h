/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the file that ld.so would open for a name. Searches in glibc's order (elf/dl-load.c):
 * - the RPATHs of the requester and of the objects that loaded it, if the requester has no RUNPATH
 * - LD_LIBRARY_PATH
 * - the requester's RUNPATH
 * - /etc/ld.so.cache, with its entries for tuned libraries
 * - the default folders
 *
 * Expands $ORIGIN, $LIB and $PLATFORM. Does not check whether the library is mapped already.
 *
 * The requester is the object on whose behalf ld.so searches (requester.h). The subject is the
 * process that is examined (machine/subject.h). As a subject, "this process" means the process that
 * asks (machine/asker.h), if there is one. */
#ifndef CUA_SEARCH_H
#define CUA_SEARCH_H

#include <limits.h>

#include "elf/file.h"
#include "loader/ldcache.h"
#include "loader/ldso.h"
#include "loader/requester.h"
#include "machine/subject.h"

/* What consecutive searches share. Too large for a thread's stack, so it must be allocated. */
struct cua_search {
    const struct cua_subject *subject;
    struct cua_ldso ldso;
    struct cua_cache *cache; /* NULL: not read yet */
    unsigned folders;        /* number of folders whose subfolders were looked for */
    /* The search is for libcuda, or for a library that a libcuda or the code that uses libcuda
     * needs. Only such a search may make system calls that ld.so would not make. */
    bool judges;
    dev_t device;        /* device of the folder for which `counts` was last determined */
    bool counts;         /* on `device` a folder's link count shows how many subfolders it has */
    struct cua_elf *elf; /* if not NULL, the file that is found is opened here */
    /* What cua_elf_open or cua_elf_glance returned for the last file that could be opened. Valid
     * after a search that found a file. */
    enum cua_elf_state state;
    int *opened; /* if not NULL, and `elf` is NULL, receives a descriptor of the file */
    /* A file could not be checked because of an error that may be temporary. */
    bool unsure;
    /* Folder of the program, for $ORIGIN in LD_LIBRARY_PATH; "" if it is not known. */
    char program[PATH_MAX];
    /* Buffers of cua_search_find: the folder that is searched now (or the expanded name, if it has
     * a slash), the file that is tried there, and the subfolder that is looked for there. */
    char folder[PATH_MAX], file[PATH_MAX], subfolder[PATH_MAX];
};

void cua_search_start(struct cua_search *search, const struct cua_subject *subject, bool judges);
void cua_search_end(struct cua_search *search);

/* Writes to `out` (PATH_MAX bytes) the file that ld.so would open on behalf of `requester` (NULL:
 * an object without search paths). The path is one that this process can open. Returns 0; or
 * -ENOENT, with "" in `out`. */
int cua_search_find(struct cua_search *search, const struct cua_requester *requester,
                    const char *name, char *out);

/* Runs a single search. Returns 0; -ENOENT or -ENOMEM, with "" in `out`; or -EAGAIN if the result
 * is not certain, with `out` undefined. `opened`: NULL, or a variable that is -1 and receives a
 * descriptor of the file, perhaps even after -EAGAIN; the caller closes it. */
int cua_loader_find(const struct cua_subject *subject, const struct cua_requester *requester,
                    const char *name, char *out, int *opened);

#endif
