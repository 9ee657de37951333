/* SPDX-License-Identifier: Apache-2.0 */
/* Trust: a file that ld.so itself would not have opened is used only if nobody but root and the
 * caller could have put it there. Every folder above the file is checked too, as sshd does for its
 * keys. */
#ifndef CUA_TRUST_H
#define CUA_TRUST_H

#include <limits.h>
#include <stdbool.h>

#include "machine/subject.h"

/* Whether a file belongs to root and nobody else can write to it. */
bool cua_roots_alone(const struct stat *st);

/* Whether the owner is a user outside the user namespace, as the host's root is in a rootless
 * container. Such an owner can be trusted: nobody in the container can be that user, and whoever
 * created the container can do more anyway. If the container has this uid too (a map of 65536
 * users), only a mount from outside proves that the owner is outside: `mounted`. */
bool cua_is_outsider(uid_t owner, bool mounted);

/* Reads a text file that nobody but root can write to; the caller owns the text. `mounted`: the
 * file lies on a mount from the host, whose root may be a user outside this namespace. NULL with
 * errno set: EPERM if others could write to the file, EFBIG if it is longer than `most`, EINVAL if
 * it is not a regular file or contains a NUL. */
char *cua_root_text(const struct cua_subject *subject, const char *path, size_t most, bool mounted);

struct cua_trust {
    /* The kernel showed the path of the next file, for a descriptor: that path is not looked up
     * again. */
    bool named;
    /* The folder that was found safe last, "" at first. It is not checked again, because many
     * candidates lie in the same one. */
    char folder[PATH_MAX];
};

/* Whether a file is trusted. `real`: its path from cua_subject_resolve; `st`: its status.
 * `mounted`: it is a mount point, so its owner may be unknown in this user namespace. If the result
 * is false, `distrust` (PATH_MAX bytes) receives the file or folder that is the reason, as the
 * examined process names it. */
bool cua_trusted(struct cua_trust *trust, const struct cua_subject *subject, const char *real,
                 const struct stat *st, bool mounted, char *distrust);

#endif
