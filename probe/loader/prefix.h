/* SPDX-License-Identifier: Apache-2.0 */
/* This process's ld.so, if it was built for a prefix: Nix and Guix give theirs other folders, and
 * no /etc/ld.so.cache. What it reads is among its texts. */
#ifndef CUA_PREFIX_H
#define CUA_PREFIX_H

struct cua_prefix {
    const char *cache;      /* "" if it reads none */
    const char *folders[5]; /* as struct cua_ldso has them */
};

/* NULL for an ld.so in a usual place, which reads what a distribution's does. Read once; lives as
 * long as the process. */
const struct cua_prefix *cua_prefix_own(void);

#endif
