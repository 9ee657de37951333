/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the default folders and the cache of an ld.so that was built for a special prefix, as by
 * Nix or Guix. Such an ld.so uses neither a distribution's default folders nor /etc/ld.so.cache.
 * The paths that it uses are among the strings in its file. */
#ifndef CUA_PREFIX_H
#define CUA_PREFIX_H

struct cua_prefix {
    const char *cache;      /* path of the cache; "": this ld.so reads no cache */
    const char *folders[5]; /* the default folders in order, then NULL */
};

/* Returns the paths that the ld.so of the process that asks (machine/asker.h) uses. NULL if that
 * ld.so is a distribution's (below /lib, /lib64, /usr/lib or /usr/lib64), or cannot be found or
 * read. The caller then assumes a distribution's folders and cache. Read once; never freed. */
const struct cua_prefix *cua_prefix_own(void);

#endif
