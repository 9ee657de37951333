/* SPDX-License-Identifier: Apache-2.0 */
/* Trust: a file that ld.so itself would not have opened is only used if nobody but root and the
 * caller could have put it there. Asked for every folder above it, as sshd asks for its keys. */
#ifndef CUA_TRUST_H
#define CUA_TRUST_H

#include <limits.h>
#include <stdbool.h>

#include "machine/subject.h"

/* Whether it is root's, and nobody else can write it. */
bool cua_roots_alone(const struct stat *st);

/* What such a file holds, owned. `mounted`: it lies on a mount of the host's, whose root may be an
 * outsider here. NULL with errno set: EPERM where it is not root's alone, EFBIG where it is longer
 * than `most`, EINVAL where it is not a file or holds a NUL. */
char *cua_root_text(const struct cua_subject *subject, const char *path, size_t most, bool mounted);

struct cua_trust {
    bool named;            /* the next file's path is the kernel's own, by a descriptor */
    char folder[PATH_MAX]; /* found safe last, "" at first: many candidates lie in the same one */
};

/* `real` as cua_subject_resolve gave it, which is `st`. `mounted`: a mount point of its own, whose
 * owner may be one that this user namespace does not know. Where it is false, `distrust` (PATH_MAX)
 * receives the file or folder, as the judged process names it. */
bool cua_trusted(struct cua_trust *trust, const struct cua_subject *subject, const char *real,
                 const struct stat *st, bool mounted, char *distrust);

#endif
