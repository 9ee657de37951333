/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The site file /etc/cuarbiter.conf: lines `CUARBITER_POLICY=host`, `lock=CUARBITER_POLICY, ...`,
 * `disabled`; '#' begins a comment. It counts only if it belongs to root (below a sysroot: or to
 * the caller) and nobody else can write it.
 */
#ifndef CUA_SITE_H
#define CUA_SITE_H

#include <stdbool.h>
#include <stddef.h>

#include "machine/view.h"

#define CUA_SITE_TEXT 8192
#define CUA_SITE_KEYS 8

struct cua_site {
    bool present;
    bool disabled;
    bool locked[CUA_SITE_KEYS];
    const char *value[CUA_SITE_KEYS]; /* into text; NULL: not given */
    char trouble[160];                /* why the file does not count, or its first bad line; "" */
    char *text;                       /* owned; NULL where there is no file, as nearly everywhere */
};

/* Reads and parses the file; a missing one is an empty one. Takes a cua_site_release in the end. */
void cua_site_read(struct cua_site *site, const struct cua_view *view);
void cua_site_release(struct cua_site *site);

/* Parses what lies at site->text (NUL-terminated). For cua_site_read and the fuzzer. */
void cua_site_parse(struct cua_site *site);

/* The value of an environment name in force: the environment's unless locked, else the site's,
 * else NULL. *from (may be NULL): "environment", "site" or "default". */
const char *cua_site_value(const struct cua_site *site, const struct cua_view *view,
                           const char *name, const char **from);

/* The next variable of the view's environment that is named as ours are and is none of them, which
 * a slip of the pen makes; *at is 0 at first. False: no more. */
bool cua_site_unknown(const struct cua_view *view, size_t *at, char *name, size_t size);

/* CUARBITER_SYSROOT as far as it counts, for the view of this very process; "" where it does not:
 * no absolute path, or the site file of the machine locks a key or disables everything. A sysroot
 * would put another site file in its place. */
const char *cua_site_sysroot(const char *value);

/* The same of another process; the view has its root as yet. */
const char *cua_site_sysroot_below(const struct cua_view *view, const char *value);

#endif
