/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose settings: policy, log, log file, cache folder and trial are those of this very process,
 * from its environment and from the /etc/cuarbiter.conf of its own root, whatever is looked at.
 * A subject is never turned into settings, nor the reverse: subject.h has whose facts.
 */
#ifndef CUA_SETTINGS_H
#define CUA_SETTINGS_H

#include "base/policy.h"

struct cua_settings {
    char *const *env;         /* NULL: the process's environ */
    const char *library_path; /* LD_LIBRARY_PATH as ld.so goes by it, for trials; NULL: not set */
    const char *home;         /* folder of shim, engine and command; NULL: not known */
};

/* Value of a variable in the settings' environment, or NULL. Belongs to the environment. */
const char *cua_settings_env(const struct cua_settings *settings, const char *name);

/* Sets up the log first. Never fails: an unknown value is one warning and the default. */
void cua_policy_read(struct cua_policy *policy, const struct cua_settings *settings);

/* Forgets a CUARBITER_LIBCUDA that is not there, after one warning. It is looked for in this
 * process's own root; for another subject, which would open it, in that one's. */
struct cua_subject;
void cua_policy_check(struct cua_policy *policy, const struct cua_subject *subject);

#endif
