/* SPDX-License-Identifier: Apache-2.0 */
/* The policy as plain data: what the user has set in the environment, and the machine's
 * administrator in the site file (/etc/cuarbiter.conf). Also the words that users write for the
 * policy's values. A trial is a call of cuInit in a child process. A bundled driver is part of the
 * program's image; a brought one was stored by `cuarbiter driver add`. */
#ifndef CUA_POLICY_H
#define CUA_POLICY_H

#define CUA_TIMEOUT_DEFAULT 10 /* seconds that all trials of a process may take */

#include <limits.h>
#include <stdbool.h>

enum cua_policy_kind {
    CUA_POLICY_AUTO,
    CUA_POLICY_REPORT, /* decides and logs like auto, but changes nothing */
    /* Takes the driver with the latest CUDA of those that work in a trial, if ld.so's choice has an
     * earlier CUDA or is missing; otherwise like auto. rule_newest (rules/rules.c) has all
     * conditions. */
    CUA_POLICY_NEWEST,
    CUA_POLICY_HOST,
    CUA_POLICY_COMPAT,
    CUA_POLICY_OFF,
    CUA_POLICIES,
};
/* Whether a bundled driver of a later minor CUDA version may replace a host's driver that works too
 * (docs/how-it-decides.md, "A later minor version"). */
enum cua_minor_kind {
    CUA_MINOR_AUTO, /* yes, if all conditions in that document hold */
    CUA_MINOR_NO,
    CUA_MINOR_YES, /* yes, even if the last three of these conditions do not hold */
    CUA_MINOR_KINDS,
};
enum cua_trial_kind { CUA_TRIAL_AUTO, CUA_TRIAL_NEVER, CUA_TRIAL_ALWAYS, CUA_TRIAL_KINDS };

struct cua_policy {
    enum cua_policy_kind kind;
    /* Where `kind` was set: "environment", "site" or "--policy"; "default" or NULL: nowhere. */
    const char *from;
    const char *site; /* path of the site file; NULL: none was read */
    const char *home; /* the folder of shim, answerer and command; NULL: not known */
    enum cua_minor_kind minor;
    enum cua_trial_kind trial;
    unsigned trial_timeout; /* for all trials of a process, in seconds, from 1 to 600 */
    bool disabled;          /* the site file disables cuarbiter; then `kind` is CUA_POLICY_OFF */
    bool unbrought;         /* CUARBITER_DRIVERS is set, but not to yes: ignore brought drivers */
    /* CUARBITER_LIBCUDA; "" if it is unset, too long, not an absolute path, or leads to no file. */
    char libcuda[PATH_MAX];
    /* The folder of brought drivers that the site file names; "": it names none. */
    char store[PATH_MAX];
};

/* The words that users write for the values of the enums above. cua_policy_find returns the policy
 * with the word `name`; -1 if no policy has it. */
#define CUA_POLICY_WORDS "auto, report, newest, host, compat or off"
int cua_policy_find(const char *name);
extern const char *const cua_policies[CUA_POLICIES];
extern const char *const cua_minor_kinds[CUA_MINOR_KINDS];
extern const char *const cua_trial_kinds[CUA_TRIAL_KINDS];

#endif
