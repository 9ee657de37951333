/* SPDX-License-Identifier: Apache-2.0 */
/* What is decided for this process, once. For engine.c. */
#ifndef CUA_DECISION_H
#define CUA_DECISION_H

#include "base/policy.h"
#include "facts/facts.h"
#include "rules/rules.h"
#include "machine/settings.h"
#include "machine/subject.h"

struct cua_decision {
    struct cua_policy policy;
    struct cua_facts facts;
    struct cua_verdict verdict;
    const struct cua_umd *native; /* the trusted UMD of the KMD's version; NULL */
};

/* With a verdict, which may take a trial; when it is made, it is logged. NULL: not now (this thread
 * is making it), or not possible. */
const struct cua_decision *cua_decision(const struct cua_subject *subject,
                                        const struct cua_settings *settings);

/* Whether that would be one that was made before. */
bool cua_decision_made(void);

/* Policy, KMD, UMDs and the native one, for programs that never ask for libcuda: nothing is loaded
 * or tried, and nothing is decided yet that CUDA_VISIBLE_DEVICES may still change. NULL: no memory.
 */
const struct cua_decision *cua_decision_native(const struct cua_subject *subject,
                                               const struct cua_settings *settings);

/* Whether nothing is to be done: there is none, or policy says so. */
bool cua_decision_off(const struct cua_decision *d);

#endif
