/* SPDX-License-Identifier: Apache-2.0 */
/* What user and site want: environment, then /etc/cuarbiter.conf with its locks. */
#ifndef CUA_POLICY_H
#define CUA_POLICY_H

#include <stdbool.h>

#include "view.h"

enum cua_policy_kind { CUA_POLICY_AUTO, CUA_POLICY_HOST, CUA_POLICY_COMPAT, CUA_POLICY_OFF };
enum cua_trial_kind { CUA_TRIAL_AUTO, CUA_TRIAL_NEVER, CUA_TRIAL_ALWAYS };

struct cua_policy {
    enum cua_policy_kind kind;
    char libcuda[4096]; /* CUARBITER_LIBCUDA, "" where unset or not to be opened */
    enum cua_trial_kind trial;
    unsigned trial_timeout; /* seconds */
    bool disabled;          /* by the site file */
};

/* Never fails: an unknown value is one warning and the default. */
void cua_policy_read(struct cua_policy *policy, const struct cua_view *view);

const char *cua_policy_name(enum cua_policy_kind kind);

/* The value of a key (an environment name) in force: the environment's, unless the site file locks
 * the key; else the site file's; else NULL. buf holds the value where it comes from the file. */
const char *cua_policy_value(const struct cua_view *view, const char *name, char *buf, size_t size);

#endif
