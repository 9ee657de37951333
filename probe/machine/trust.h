/* SPDX-License-Identifier: Apache-2.0 */
/* Trust: before cuarbiter uses a file that ld.so itself would not have opened, it checks that only
 * root and the caller could have put the file there. Every folder above the file is checked too, as
 * sshd does for its keys. */
#ifndef CUA_TRUST_H
#define CUA_TRUST_H

#include <limits.h>
#include <stdbool.h>

#include "machine/subject.h"

/* Whether a file belongs to root, and neither its group nor others may write to it. */
bool cua_roots_alone(const struct stat *st);

/* Whether the owner is a user outside the user namespace, as the host's root is in a rootless
 * container. Such an owner can be trusted: nobody in the container can be that user, and whoever
 * created the container can do more anyway.
 *
 * The kernel shows such an owner as uid 65534. If the namespace has that uid itself (a map of 65536
 * users), only a mount from outside proves that the owner is outside. `mounted`: the file is on
 * such a mount. In the initial namespace nobody is outside. */
bool cua_is_outsider(uid_t owner, bool mounted);

/* Reads a text file that nobody but root can write to; the caller owns the text. `mounted`: the
 * file lies on a mount from the host, whose root may be a user outside this namespace. NULL with
 * errno set: EPERM if others could write to the file, EFBIG if it is longer than `most`, EINVAL if
 * it is not a regular file or contains a NUL; or another error of opening or reading it. */
char *cua_root_text(const struct cua_subject *subject, const char *path, size_t most, bool mounted);

struct cua_trust {
    /* True if the kernel itself showed the path of the file that is checked next
     * (cua_opened.kernels). cua_trusted then looks up only the folders above that file. */
    bool named;
    /* The folder that was found safe last, "" at first. It and the folders above it are not checked
     * again, because many libcuda files lie in the same folder. */
    char folder[PATH_MAX];
};

/* Whether a file is trusted. `real`: its path from cua_subject_resolve; `st`: its status.
 * `mounted`: it is a mount point, so its owner may be a user outside this user namespace. If the
 * result is false, `distrust` (PATH_MAX bytes) receives the file or folder that is the reason, as
 * the examined process names it; "" if `real` is no absolute path, or too long. */
bool cua_trusted(struct cua_trust *trust, const struct cua_subject *subject, const char *real,
                 const struct stat *st, bool mounted, char *distrust);

#endif
