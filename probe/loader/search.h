/* SPDX-License-Identifier: Apache-2.0 */
/* Which file ld.so would open for a name. Follows glibc (elf/dl-load.c): RPATH chain unless the
 * requester has a RUNPATH, LD_LIBRARY_PATH, RUNPATH, the cache with hwcaps, default folders;
 * $ORIGIN, $LIB, $PLATFORM. What is mapped is not looked at. */
#ifndef CUA_SEARCH_H
#define CUA_SEARCH_H

#include <limits.h>

#include "elf/file.h"
#include "loader/ldcache.h"
#include "loader/ldso.h"
#include "loader/requester.h"
#include "machine/subject.h"

/* What searches share, one after the other. */
struct cua_search {
    const struct cua_subject *subject;
    struct cua_ldso ldso;
    struct cua_cache *cache; /* NULL: not asked yet */
    unsigned folders;        /* that were looked into */
    bool judges;  /* libcuda is being chosen: calls that ld.so does not make are allowed */
    dev_t device; /* of the last one; whether a folder there has a link for each in it: */
    bool counts;
    struct cua_elf *elf; /* NULL, or where what is found is opened, in this state: */
    enum cua_elf_state state;
    int *opened;            /* NULL, or receives the descriptor of what is found without `elf` */
    bool unsure;            /* something could not be asked that ld.so may find a moment later */
    char program[PATH_MAX]; /* folder of the program, $ORIGIN of LD_LIBRARY_PATH; "" if unknown */
    /* Of the current search. Too large for a thread's stack. */
    char folder[PATH_MAX], file[PATH_MAX], subfolder[PATH_MAX];
};

void cua_search_start(struct cua_search *search, const struct cua_subject *subject, bool judges);
void cua_search_end(struct cua_search *search);

/* `out` (PATH_MAX) receives what ld.so would open on behalf of `requester` (NULL: a plain program
 * without paths), as this process can open it. 0, or -ENOENT and "". */
int cua_search_find(struct cua_search *search, const struct cua_requester *requester,
                    const char *name, char *out);

/* One search. 0, or -ENOENT, -ENOMEM and ""; -EAGAIN, whatever was found, where it is unsure.
 * `opened`: NULL, or -1, which is replaced by a descriptor of what is found. */
int cua_loader_find(const struct cua_subject *subject, const struct cua_requester *requester,
                    const char *name, char *out, int *opened);

#endif
