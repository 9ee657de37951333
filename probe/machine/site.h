/* SPDX-License-Identifier: Apache-2.0 */
/* The site file, by which an administrator sets rules for all users: /etc/cuarbiter.conf, or if
 * that is missing /opt/cuarbiter/site/cuarbiter.conf, the node's file in a container. Lines:
 * `CUARBITER_POLICY=host`, `lock=CUARBITER_POLICY, ...`, `minor=...`, `drivers=...`,
 * `store=FOLDER`, `disabled`; '#' begins a comment. If others than root can write the file, if it
 * lastingly cannot be read, or if a line is not understood, cuarbiter is disabled, because the
 * site's intention is unknown. It is always read from this process's own root, never from a
 * sysroot. */
#ifndef CUA_SITE_H
#define CUA_SITE_H

#include <stdbool.h>
#include <stddef.h>

#include "machine/settings.h"

#define CUA_SITE_KEYS 10
extern const char *const cua_site_keys[CUA_SITE_KEYS]; /* the variables that can be set */

struct cua_site {
    bool disabled, locks; /* `locks`: a variable is locked */
    const char *file;     /* path of the file that was read; if none exists, of one of them */
    /* Whether each variable of cua_site_keys is locked: then the environment cannot set it. */
    bool locked[CUA_SITE_KEYS];
    /* The values of the same variables; they point into `text`. NULL: the file sets none. */
    const char *value[CUA_SITE_KEYS];
    /* One more folder of drivers to use (drivers/store.h); points into `text`; NULL: none. */
    const char *store;
    /* What is wrong with the file; "": nothing. */
    char trouble[160];
    /* The file's text; owned; NULL if there is no file, which is the normal case, or it was not
     * read. */
    char *text;
};

/* Reads and parses the site file; a missing file is like an empty one. Must be followed by
 * cua_site_release. */
void cua_site_read(struct cua_site *site);

/* cua_site_load: the same for the file `file`. `mounted`: it may lie on a mount from the host, and
 * belong to the host's root (cua_root_text). False if the file is missing. cua_site_release: frees
 * the text. */
bool cua_site_load(struct cua_site *site, const char *file, bool mounted);
void cua_site_release(struct cua_site *site);

/* Parses site->text (NUL-terminated) and changes it. Called by cua_site_load and by the fuzzer. */
void cua_site_parse(struct cua_site *site);

/* The value in force for a variable of cuarbiter's: the environment's, unless it is empty or the
 * variable is locked; else the site file's; else NULL. *from (may be NULL) receives "environment",
 * "site" or "default". */
const char *cua_site_value(const struct cua_site *site, const struct cua_settings *settings,
                           const char *name, const char **from);

/* Finds the next variable in the settings' environment whose name begins with CUARBITER_, in upper
 * or lower case, but is unknown; it is probably a typing error. `name` receives it, with a '?' for
 * each character that a name should not have. *at must be 0 for the first call. False: there are no
 * more. */
bool cua_site_unknown(const struct cua_settings *settings, size_t *at, char *name, size_t size);

/* Returns `value`, that of CUARBITER_SYSROOT, if it applies; else "": it is "/" or no absolute
 * path, or the site file locks a variable or disables cuarbiter. (A user who sets the sysroot
 * chooses the facts, and so could evade the site's rules.) */
const char *cua_site_sysroot(const char *value);

#endif
