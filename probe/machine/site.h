/* SPDX-License-Identifier: Apache-2.0 */
/* The site file /etc/cuarbiter.conf: lines `CUARBITER_POLICY=host`, `lock=CUARBITER_POLICY, ...`,
 * `store=FOLDER`, `disabled`; '#' begins a comment. If others than root can write the file, if it
 * cannot be read, or if a line is not understood, cuarbiter is disabled, because the site's
 * intention is unknown. It is always read from this process's own root, never from a sysroot. */
#ifndef CUA_SITE_H
#define CUA_SITE_H

#include <stdbool.h>
#include <stddef.h>

#include "machine/settings.h"

#define CUA_SITE_KEYS 10
extern const char *const cua_site_keys[CUA_SITE_KEYS]; /* CUARBITER_POLICY, ... */

struct cua_site {
    bool disabled, locks; /* `locks`: the file locks a key */
    const char *file;     /* path of the file that was read, or that is missing */
    bool locked[CUA_SITE_KEYS];
    const char *value[CUA_SITE_KEYS]; /* points into `text`; NULL: not set */
    /* A folder for added drivers; points into `text`; NULL: not set. */
    const char *store;
    /* Why the file cannot be used; "": it can. */
    char trouble[160];
    /* Owned; NULL if there is no file, which is the normal case. */
    char *text;
};

/* Reads and parses the file; a missing file is like an empty one. Must be followed by
 * cua_site_release. */
void cua_site_read(struct cua_site *site);

/* The same for another file; `mounted` as for cua_root_text. False: the file is missing. */
bool cua_site_load(struct cua_site *site, const char *file, bool mounted);
void cua_site_release(struct cua_site *site);

/* Parses the text in site->text (NUL-terminated). Called by cua_site_read and by the fuzzer. */
void cua_site_parse(struct cua_site *site);

/* The value in force for a variable: the environment's unless it is locked, else the site's, else
 * NULL. *from (may be NULL) receives "environment", "site" or "default". */
const char *cua_site_value(const struct cua_site *site, const struct cua_settings *settings,
                           const char *name, const char **from);

/* The next variable in the settings' environment whose name begins like one of cuarbiter's but is
 * unknown, probably a typing error. *at is 0 for the first. False: there are no more. */
bool cua_site_unknown(const struct cua_settings *settings, size_t *at, char *name, size_t size);

/* Returns `value`, that of CUARBITER_SYSROOT, if it applies. "" if it does not: it is not an
 * absolute path, or the site file locks a key or disables everything. (A user who sets the sysroot
 * chooses the facts, and so could evade the site's rules.) */
const char *cua_site_sysroot(const char *value);

#endif
