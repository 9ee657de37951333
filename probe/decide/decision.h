/* SPDX-License-Identifier: Apache-2.0 */
/* What is decided for this process, once for each file that the loader would take. */
#ifndef CUA_DECISION_H
#define CUA_DECISION_H

#include "decide/loop.h"
#include "rules/rules.h"
#include "machine/settings.h"
#include "machine/subject.h"

/* Never freed and never changed once it is given out. */
struct cua_decision {
    const struct cua_decision *next; /* made earlier */
    const struct cua_policy *policy;
    struct cua_facts facts;
    struct cua_verdict verdict;
    struct cua_umd_key loader; /* zeroed: none */
    bool by_path;
    const char *library; /* that brought libcuda in; NULL: none did */
};

/* The policy of this process, which is read once; NULL: no memory. */
const struct cua_policy *cua_policy_in_force(const struct cua_settings *settings);

/* One decision for each loader's choice, way of asking and library that brings libcuda in (compared
 * by its pointer, which is kept). The first request makes it, which may take a trial, and logs it.
 * NULL: no memory, too many decisions, or the loader's choice could not be examined. */
const struct cua_decision *cua_decision(const struct cua_subject *subject,
                                        const struct cua_settings *settings,
                                        const struct cua_request *request);

/* One that was made already and chose this file; NULL. */
const struct cua_decision *cua_decision_for(const char *file);

/* KMD and native UMD, for programs that never ask for libcuda: nothing is loaded or tried, and
 * nothing is decided. Of `facts` only those two hold. NULL: no memory. */
const struct cua_decision *cua_decision_native(const struct cua_subject *subject,
                                               const struct cua_settings *settings);

#endif
