/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the default folders and the cache of an ld.so that was built for a prefix. The ld.so of Nix
 * or Guix uses neither a distribution's default folders nor /etc/ld.so.cache. The folders that it
 * does use are among the strings in its file. */
#ifndef CUA_PREFIX_H
#define CUA_PREFIX_H

struct cua_prefix {
    const char *cache;      /* path of the cache; "": this ld.so reads none */
    const char *folders[5]; /* the default folders in order, then NULL */
};

/* The prefix of the ld.so of the process that asks. NULL if that ld.so lies in a usual place; then
 * it uses the default folders of a distribution. Read once; never freed. */
const struct cua_prefix *cua_prefix_own(void);

#endif
