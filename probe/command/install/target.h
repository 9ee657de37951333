/* SPDX-License-Identifier: Apache-2.0 */
/* The root that install has entered: its loader, asked; and a version's folder in it. */
#ifndef CUA_TARGET_H
#define CUA_TARGET_H

#include <stdbool.h>

/* 0 if the target has a glibc loader of this architecture, else -errno after a complaint. */
int cua_target_check(void);

/* Whether the target runs 32-bit programs too. */
bool cua_target_has_32bit(void);

/* Runs the target's /bin/true with LD_PRELOAD=preload. 0 if it succeeds, prints nothing and
 * has mapped `file`, else -errno after a complaint that quotes the loader. */
int cua_target_try(const char *preload, const char *file);

/* Whether the target's loader, given `preload`, would map `file`. */
bool cua_target_expands(const char *preload, const char *file);

/* Removes from a version's folder what install put there, and the folder if nothing else is in it.
 * 0 or -errno. */
int cua_remove_version(const char *folder);

#endif
