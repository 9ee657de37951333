/* SPDX-License-Identifier: Apache-2.0 */
/* The site file /etc/cuarbiter.conf: lines `CUARBITER_POLICY=host`, `lock=CUARBITER_POLICY, ...`,
 * `disabled`; '#' begins a comment. One that others than root can write, that cannot be read or has
 * a line that is not understood disables: nobody knows what the site wanted. It is always read from
 * this process's own root, never from a sysroot. */
#ifndef CUA_SITE_H
#define CUA_SITE_H

#include <stdbool.h>
#include <stddef.h>

#include "machine/settings.h"

#define CUA_SITE_KEYS 8
extern const char *const cua_site_keys[CUA_SITE_KEYS]; /* CUARBITER_POLICY, ... */

struct cua_site {
    bool disabled, locks; /* locks: a key */
    const char *file;     /* which it is, or the one that is missing */
    bool locked[CUA_SITE_KEYS];
    const char *value[CUA_SITE_KEYS]; /* into text; NULL: not given */
    char trouble[160];                /* why it disables without saying so; "" */
    char *text;                       /* owned; NULL where there is no file, as nearly everywhere */
};

/* Reads and parses the file; a missing one is an empty one. Takes a cua_site_release in the end. */
void cua_site_read(struct cua_site *site);

/* The same of one file, `mounted` as cua_root_text takes it. False: it is missing. */
bool cua_site_load(struct cua_site *site, const char *file, bool mounted);
void cua_site_release(struct cua_site *site);

/* Parses what lies at site->text (NUL-terminated). For cua_site_read and the fuzzer. */
void cua_site_parse(struct cua_site *site);

/* The value of an environment name in force: the environment's unless locked, else the site's,
 * else NULL. *from (may be NULL): "environment", "site" or "default". */
const char *cua_site_value(const struct cua_site *site, const struct cua_settings *settings,
                           const char *name, const char **from);

/* The next variable of the settings' environment that is named as ours are and is none of them,
 * which a slip of the pen makes; *at is 0 at first. False: no more. */
bool cua_site_unknown(const struct cua_settings *settings, size_t *at, char *name, size_t size);

/* CUARBITER_SYSROOT as far as it counts; "" where it does not: no absolute path, or the site file
 * locks a key or disables everything. Whoever chooses the facts can lead the rules anywhere. */
const char *cua_site_sysroot(const char *value);

#endif
