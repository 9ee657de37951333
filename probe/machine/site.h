/* SPDX-License-Identifier: Apache-2.0 */
/* The site file, by which an administrator sets rules for all users. It is /etc/cuarbiter.conf. If
 * that is missing, it is the node's file, which a container sees as
 * /opt/cuarbiter/site/cuarbiter.conf. It is always read from this process's own root, never from a
 * sysroot.
 *
 * Lines: `CUARBITER_POLICY=host`, `lock=CUARBITER_POLICY, ...`, `minor=...`, `drivers=...`,
 * `store=FOLDER`, `disabled`; '#' begins a comment.
 *
 * cuarbiter is disabled if a line is not understood, if users other than root can write to the
 * file, if the file permanently cannot be read, or if the folder of the node's file was removed on
 * the node. The administrator's intention is then unknown. */
#ifndef CUA_SITE_H
#define CUA_SITE_H

#include <stdbool.h>
#include <stddef.h>

#include "machine/settings.h"

#define CUA_SITE_KEYS 10
extern const char *const cua_site_keys[CUA_SITE_KEYS]; /* the variables that can be set */

struct cua_site {
    bool disabled, locks; /* `locks`: a variable is locked */
    const char *file;     /* path of the file that was read; if none exists, one of the two paths */
    /* Whether each variable of cua_site_keys is locked: then the environment cannot set it. */
    bool locked[CUA_SITE_KEYS];
    /* The values of the same variables; they point into `text`. NULL: the file sets none. */
    const char *value[CUA_SITE_KEYS];
    /* One more folder of drivers to use (drivers/store.h); points into `text`; NULL: none. */
    const char *store;
    /* What is wrong with the file; "": nothing. */
    char trouble[192];
    /* The file's text; owned; NULL if there is no file, which is the normal case, or it was not
     * read. */
    char *text;
};

/* Reads and parses the site file; a missing file is like an empty one. Must be followed by
 * cua_site_release. */
void cua_site_read(struct cua_site *site);

/* Like cua_site_read, but for the file `file`. False if the file is missing. `mounted`: it may lie
 * on a mount from the host, and belong to the host's root (cua_root_text). */
bool cua_site_load(struct cua_site *site, const char *file, bool mounted);
/* Frees the text. */
void cua_site_release(struct cua_site *site);

/* Parses site->text (NUL-terminated) and changes it. Called by cua_site_load and by the fuzzer. */
void cua_site_parse(struct cua_site *site);

/* Returns the value of one of cuarbiter's variables: the environment's if it is not empty and the
 * variable is not locked, otherwise the site file's. NULL if the site file sets none. *from (may be
 * NULL) receives "environment", "site" or "default". */
const char *cua_site_value(const struct cua_site *site, const struct cua_settings *settings,
                           const char *name, const char **from);

/* Finds the next unknown variable in the settings' environment whose name begins with CUARBITER_,
 * in upper or lower case. It is probably a typing error. `name` receives its name, with a '?' for
 * each character other than a letter, a digit or '_'. *at must be 0 for the first call. False:
 * there are no more. */
bool cua_site_unknown(const struct cua_settings *settings, size_t *at, char *name, size_t size);

/* `value` is that of CUARBITER_SYSROOT. Returns it if it is an absolute path other than "/", else
 * "". If the site file locks a variable or disables cuarbiter, always returns "": a user who sets
 * the sysroot chooses the facts, and so could evade the site's rules. */
const char *cua_site_sysroot(const char *value);

#endif
