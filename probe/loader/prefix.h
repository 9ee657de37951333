/* SPDX-License-Identifier: Apache-2.0 */
/* The folders of this process's ld.so, if that was built for a prefix: Nix and Guix build theirs
 * with other folders and without /etc/ld.so.cache. These are found among the texts in its file. */
#ifndef CUA_PREFIX_H
#define CUA_PREFIX_H

struct cua_prefix {
    const char *cache;      /* path of its cache; "": it reads none */
    const char *folders[5]; /* in the form of struct cua_ldso's */
};

/* NULL if ld.so lies in a usual place; then it uses the default folders of a distribution. Read
 * once; never freed. */
const struct cua_prefix *cua_prefix_own(void);

#endif
