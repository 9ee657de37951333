/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trust: a file that ld.so itself would not have opened is only used if nobody but root and the
 * caller could have put it there. Asked for every folder above it, as sshd asks for its keys.
 */
#ifndef CUA_TRUST_H
#define CUA_TRUST_H

#include <limits.h>
#include <stdbool.h>

#include "machine/subject.h"

/* What was found out about the last folder: many candidates lie in the same one. */
struct cua_trust {
    bool trusted;
    size_t bad; /* so much of `folder` names the one above it that is not safe */
    char folder[PATH_MAX];
};

/* `real` as cua_subject_resolve gave it, which is `st`. `mounted`: a mount point of its own, whose
 * owner may be one that this user namespace does not know. Where it is false, `distrust` (PATH_MAX)
 * receives the file or folder, as the judged process names it. */
bool cua_trusted(struct cua_trust *trust, const struct cua_subject *subject, const char *real,
                 const struct stat *st, bool mounted, char *distrust);

#endif
