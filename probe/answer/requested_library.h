/* SPDX-License-Identifier: Apache-2.0 */
/* What the engine answers for one library of the table, given the decision. For engine.c. */
#ifndef CUA_ANSWER_H
#define CUA_ANSWER_H

#include "cuarbiter/libraries.h"
#include "facts/facts.h"
#include "machine/subject.h"

/* A name as the program gave it, taken apart by the table of libraries.h. */
struct cua_requested {
    enum cua_library_kind kind;
    const char *stem;    /* of the table */
    const char *file;    /* basename, in the question's name */
    const char *version; /* what follows ".so.", or "" */
};

/* Whether `name` is of the table. */
bool cua_requested_parse(struct cua_requested *request, const char *name);

/* The file in `folder` that serves for `request` beside a driver of `version`: the exact version's
 * file, else the requested name if that leads to no other version. `out`: PATH_MAX bytes.
 * 0 or -ENOENT. */
int cua_requested_in_folder(const struct cua_requested *request, const char *folder,
                            const struct cua_version *version, char *out);

/* A KMD-bound library: stem.so.<KMD version>, trusted, beside the native UMD (NULL: there is none)
 * or else in any folder that is searched. 0 or -ENOENT. */
int cua_requested_bound(const struct cua_requested *request, const struct cua_subject *subject,
                        const struct cua_umd *native, const struct cua_version *kmd, char *out);

/* Whether a file that was found for `request` is an NVML of another maker: a mock, or a quota's
 * that meters the real one. `file` may be a link. */
bool cua_requested_foreign(const struct cua_requested *request, const char *file);

/* Whether ld.so would take something for this name that is mapped already, and is not `file`. */
bool cua_other_mapped(const char *name, const char *file);

/* The folder that a file lies in once its links are followed; `folder`: PATH_MAX. 0 or -errno. */
int cua_folder_of(const char *file, char *folder);

/* Whether two paths lead to the same file. */
bool cua_same_file(const char *a, const char *b);

#endif
