/* SPDX-License-Identifier: Apache-2.0 */
/* The decisions for the program that asks: one for each combination of the file that ld.so would
 * take, the way of asking (by name or by path), and the library that brings libcuda in. A library
 * brings libcuda in if the program requests this library, and the library needs libcuda.
 *
 * An answerer (cuarbiter-answer) exits after it has answered one question of the shim, the
 * program's preloaded library. The shim keeps the answerer's decisions and passes them to the next
 * answerer, which repeats them instead of choosing again. */
#ifndef CUA_DECISION_H
#define CUA_DECISION_H

#include "decide/loop.h"
#include "rules/rules.h"
#include "machine/settings.h"
#include "machine/subject.h"

/* A decision is never freed, and never changed after it was returned. */
struct cua_decision {
    struct cua_decision *next; /* the decision made before this one */
    const struct cua_policy *policy;
    struct cua_facts facts;
    struct cua_verdict verdict;
    struct cua_umd_key loader; /* the file that ld.so would take; all zero: none */
    bool by_path;
    const char *library; /* the library that brings libcuda in; NULL: none does */
    /* The result of cua_decide_minor. It is determined only if the log shows the level info or the
     * policy is `report`; otherwise NULL. */
    const struct cua_umd *minor;
    bool recalled; /* an earlier answerer has decided for this combination already */
};

/* The policy in force. It is read at the first call. NULL: no memory. */
const struct cua_policy *cua_policy_in_force(const struct cua_settings *settings);

/* Returns the decision for this request. It depends on the file that ld.so would take, on whether
 * the request is by path, and on the library that brings libcuda in. The first call for such a
 * combination repeats the decision of an earlier answerer. If there is none, the call decides,
 * which may run a trial (cuInit in a child process), and logs the decision. NULL: no memory, too
 * many decisions, or the file that ld.so would take could not be examined. */
const struct cua_decision *cua_decision(const struct cua_subject *subject,
                                        const struct cua_settings *settings,
                                        const struct cua_request *request);

/* For requests that need no choice of a libcuda: gathers the kernel driver, and chooses nothing. In
 * the result only that fact and the policy are valid. NULL: no memory. */
const struct cua_decision *cua_decision_kmd(const struct cua_subject *subject,
                                            const struct cua_settings *settings);
/* Like cua_decision_kmd, but also gathers the native UMD, which is the kernel driver's own libcuda
 * (native.h). */
const struct cua_decision *cua_decision_native(const struct cua_subject *subject,
                                               const struct cua_settings *settings);

/* Calls `fn` with each decision so far, as a text without NUL bytes. Includes the decisions of
 * earlier answerers. */
void cua_decisions_each(void (*fn)(void *data, const char *text), void *data);
/* Takes over such a text from an earlier answerer. Ignores a text of another form, and texts beyond
 * the limit for decisions. */
void cua_decision_recall(const char *text);

/* Whether an earlier answerer chose this file for the program. */
bool cua_decision_chose(const char *file);

#endif
