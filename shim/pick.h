/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses what a request opens; called by the entry stubs. */
#ifndef CUA_PICK_H
#define CUA_PICK_H

/* Returned in two registers on both architectures; the stubs rely on that. */
struct cua_pick {
    const char *path; /* what to open: the caller's own string, or one that lives for ever */
    void *next;       /* the function to jump to, never NULL */
};

struct cua_pick cua_pick_dlopen(const char *path, int flags, const void *caller);
struct cua_pick cua_pick_dlmopen(long space, const char *path, int flags, const void *caller);

#endif
