/* SPDX-License-Identifier: Apache-2.0 */
/* Caches earlier results: which libraries do not bring libcuda in, and which row answers a request.
 * No lock is needed: entries are only added or dropped, and a name that is not found is looked up
 * again. A fork in the middle of a write loses one entry. */
#ifndef CUA_KNOWN_H
#define CUA_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a library of this file name or SONAME, given by its key (text.h), has been mapped since
 * program start, or was found not to bring libcuda in. May map memory. cua_know adds a key. */
bool cua_is_known(uint64_t key);
void cua_know(uint64_t key);

struct cua_row {
    const char *path;       /* never freed; NULL: the request is passed on unchanged */
    uint64_t device, inode; /* of the file at `path` when it was chosen */
    /* The row is for a companion of the libcuda chosen last; it holds for every caller. */
    bool companion;
};

/* The cached row for a request; NULL if there is none. */
const struct cua_row *cua_row_find(uint64_t key);

/* Caches a row, which is never freed, for a request. */
void cua_row_keep(uint64_t key, const struct cua_row *row);

/* Forgets the rows of companions. */
void cua_rows_drop_companions(void);

/* cua_row_is_file: whether the path still leads to the file that was chosen. cua_row_holds: the
 * same; also true if that file is loaded, or if the row has no path. */
bool cua_row_is_file(const struct cua_row *row);
bool cua_row_holds(const struct cua_row *row);

#endif
