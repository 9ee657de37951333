/* SPDX-License-Identifier: Apache-2.0 */
/* A policy: what user and site ask for, as plain data, and its words. */
#ifndef CUA_POLICY_H
#define CUA_POLICY_H

#define CUA_TIMEOUT_DEFAULT 10 /* seconds that a trial may take */

#include <limits.h>
#include <stdbool.h>

enum cua_policy_kind {
    CUA_POLICY_AUTO,
    CUA_POLICY_REPORT, /* decides and logs as auto, changes nothing */
    CUA_POLICY_NEWEST, /* the latest CUDA among what a trial finds to work */
    CUA_POLICY_HOST,
    CUA_POLICY_COMPAT,
    CUA_POLICY_OFF,
    CUA_POLICIES,
};
enum cua_trial_kind { CUA_TRIAL_AUTO, CUA_TRIAL_NEVER, CUA_TRIAL_ALWAYS, CUA_TRIAL_KINDS };

struct cua_policy {
    enum cua_policy_kind kind;
    const char *from; /* "environment", "site", "default", or "--policy" */
    const char *site; /* the site file's path */
    enum cua_trial_kind trial;
    unsigned trial_timeout; /* seconds, 1 to 600 */
    bool disabled;          /* by the site file; kind is CUA_POLICY_OFF then */
    char libcuda[PATH_MAX]; /* CUARBITER_LIBCUDA, "" where unset or not to be opened */
};

/* The words of users for these two. The number of a word, -1 if it is none of them. */
#define CUA_POLICY_WORDS "auto, report, newest, host, compat or off"
int cua_policy_find(const char *name);
extern const char *const cua_policies[CUA_POLICIES];
extern const char *const cua_trial_kinds[CUA_TRIAL_KINDS];

#endif
