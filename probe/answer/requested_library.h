/* SPDX-License-Identifier: Apache-2.0 */
/* Parses a request for one of the driver's libraries, and finds the file for it in the folder of a
 * libcuda. Used by replies.c. */
#ifndef CUA_ANSWER_H
#define CUA_ANSWER_H

#include "cuarbiter/libraries.h"
#include "facts/facts.h"
#include "machine/subject.h"

/* A requested name, split according to the table in libraries.h. */
struct cua_requested {
    enum cua_library_kind kind;
    const char *stem;    /* the file name before ".so", from the table */
    const char *file;    /* the name without its folder; points into the name */
    const char *version; /* the part after ".so.", or "" */
};

/* Whether `name`, with or without a folder, is that of a library in libraries.h, and has only
 * digits and dots after ".so". Then `request` receives its parts. */
bool cua_requested_parse(struct cua_requested *request, const char *name);

/* Finds the file in `folder` that answers `request` for a driver of `version`. Looks for
 * STEM.so.VERSION first, then for the requested name. Ignores a file of another version. If
 * `version` is not known, or the kind is CUA_LIBRARY_EXACT, looks only for the requested name, and
 * accepts any version. `out` (PATH_MAX bytes) receives the path, `st` the file's status. Returns 0
 * or -ENOENT. */
int cua_requested_in_folder(const struct cua_requested *request, const char *folder,
                            const struct cua_version *version, char *out, struct stat *st);

/* Resolves all links in the path `file`, and writes the folder of the resulting path to `folder`
 * (PATH_MAX bytes). Returns 0 or -ENOENT. */
int cua_folder_of(const char *file, char *folder);

/* Whether two paths lead to the same file; false if one of them leads to none. */
bool cua_same_file(const char *a, const char *b);

#endif
