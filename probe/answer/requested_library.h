/* SPDX-License-Identifier: Apache-2.0 */
/* Requests for one of the driver's libraries: parses the name, and finds the file beside the chosen
 * driver. Used by replies.c. */
#ifndef CUA_ANSWER_H
#define CUA_ANSWER_H

#include "cuarbiter/libraries.h"
#include "facts/facts.h"
#include "machine/subject.h"

/* A requested name, split according to the table in libraries.h. */
struct cua_requested {
    enum cua_library_kind kind;
    const char *stem;    /* from the table */
    const char *file;    /* the name without its folder; points into the name */
    const char *version; /* the part after ".so.", or "" */
};

/* Whether `name` is one of the libraries in libraries.h; then `request` receives its parts. */
bool cua_requested_parse(struct cua_requested *request, const char *name);

/* Finds the file in `folder` that serves `request` beside a driver of `version`: the file of
 * exactly that version, else the requested name unless it leads to another version. `out` (PATH_MAX
 * bytes) receives its path, `st` its status. 0 or -ENOENT. */
int cua_requested_in_folder(const struct cua_requested *request, const char *folder,
                            const struct cua_version *version, char *out, struct stat *st);

/* Follows the links of `file`, and writes the folder of the file that they lead to to `folder`
 * (PATH_MAX bytes). 0 or -errno. */
int cua_folder_of(const char *file, char *folder);

/* Whether two paths lead to the same file. */
bool cua_same_file(const char *a, const char *b);

#endif
