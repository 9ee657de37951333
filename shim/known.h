/* SPDX-License-Identifier: Apache-2.0 */
/* Caches earlier results: which libraries do not bring libcuda in (do not need it, directly or
 * through others), and which row (struct cua_row) answers a request. No lock is needed: entries are
 * only added or dropped, and a name that is not found is looked up again. A fork in the middle of a
 * write loses one entry. */
#ifndef CUA_KNOWN_H
#define CUA_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

/* Whether this key is known. May map memory. There are two kinds of keys:
 * - cua_key (text.h) of a library's file name or SONAME. Known if the library was loaded when the
 *   program started.
 * - Such a key, mixed with the search paths of a file that needs the library (needs.c). Known if
 *   the library found by these paths does not bring libcuda in.
 *
 * cua_know adds a key, unless there is no memory. */
bool cua_is_known(uint64_t key);
void cua_know(uint64_t key);

/* What a request leads to. */
struct cua_row {
    const char *path;       /* never freed; NULL: the request is passed on unchanged */
    uint64_t device, inode; /* identify the file at `path` when it was chosen */
    /* The row is for a companion: a library that libcuda opens (libraries.h). A companion must fit
     * the libcuda that was chosen last, so the row is the same for every caller. */
    bool companion;
};

/* The cached row with this key; NULL if there is none. A key stands for one request, for a name and
 * every caller, or for a request mixed with the identity of its caller (struct request in
 * pick.c). */
const struct cua_row *cua_row_find(uint64_t key);

/* Caches a row under such a key. The row must never be freed. */
void cua_row_keep(uint64_t key, const struct cua_row *row);

/* Forgets the rows of companions. */
void cua_rows_drop_companions(void);

/* Whether the row's path still leads to the file that was chosen. */
bool cua_row_is_file(const struct cua_row *row);

/* Whether the row can be used: its path leads to the file that was chosen, or a file is loaded by
 * this path, or the row has no path. */
bool cua_row_holds(const struct cua_row *row);

#endif
