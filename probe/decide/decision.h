/* SPDX-License-Identifier: Apache-2.0 */
/* The decisions for the program that asks: one for each file that the loader would take. An
 * answerer exits after its answer; the shim keeps its decisions and passes them to the next
 * answerer, which repeats them instead of choosing again. */
#ifndef CUA_DECISION_H
#define CUA_DECISION_H

#include "decide/loop.h"
#include "rules/rules.h"
#include "machine/settings.h"
#include "machine/subject.h"

/* Never freed, and never changed once it was returned. */
struct cua_decision {
    struct cua_decision *next; /* the decision made before this one */
    const struct cua_policy *policy;
    struct cua_facts facts;
    struct cua_verdict verdict;
    struct cua_umd_key loader; /* the loader's choice; zeroed: none */
    bool by_path;
    const char *library; /* the library that brings libcuda in; NULL: none does */
    /* The result of cua_decide_minor; NULL also if no log line or report would show it. */
    const struct cua_umd *minor;
    bool recalled; /* chosen by an earlier answerer */
};

/* The policy in force, which is read only once. NULL: no memory. */
const struct cua_policy *cua_policy_in_force(const struct cua_settings *settings);

/* Returns the decision for this choice of the loader, way of asking, and library that brings
 * libcuda in. The first such request makes the decision, which may take a trial, and logs it. NULL:
 * no memory, too many decisions, or the loader's choice could not be examined. */
const struct cua_decision *cua_decision(const struct cua_subject *subject,
                                        const struct cua_settings *settings,
                                        const struct cua_request *request);

/* For programs that never ask for libcuda: gathers only the kernel driver (cua_decision_kmd), or
 * the kernel driver and the native UMD. Nothing is loaded, tried or decided; the other facts are
 * not valid. NULL: no memory. */
const struct cua_decision *cua_decision_kmd(const struct cua_subject *subject,
                                            const struct cua_settings *settings);
const struct cua_decision *cua_decision_native(const struct cua_subject *subject,
                                               const struct cua_settings *settings);

/* cua_decisions_each: calls `fn` with each decision so far as a text without NUL bytes.
 * cua_decision_recall: takes such a text from an earlier answerer; a text of another form is
 * ignored. */
void cua_decisions_each(void (*fn)(void *data, const char *text), void *data);
void cua_decision_recall(const char *text);

/* Whether an earlier answerer chose this file. */
bool cua_decision_chose(const char *file);

#endif
