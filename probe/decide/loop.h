/* SPDX-License-Identifier: Apache-2.0 */
/* Examines a machine and reaches a verdict; answerer and command both use this loop. The rules name
 * the next fact that they need, a gatherer provides it, and so on until the rules have a verdict.
 * Facts that the rules do not ask for are not gathered. */
#ifndef CUA_LOOP_H
#define CUA_LOOP_H

#include "drivers/part.h"
#include "loader/loadable.h"
#include "machine/settings.h"
#include "machine/subject.h"
#include "rules/rules.h"

struct cua_request {
    const char *loader; /* the file that ld.so would take, as this process can open it; "": none */
    /* Descriptor of `loader`, which cua_decide takes over and sets to -1; may be NULL. */
    int *opened;
    bool by_path; /* the program asks by a path, not by a name */
    /* The libraries that are being loaded (closure.h); NULL: not known. */
    const char *const *needed;
    struct cua_binder binder; /* the code that needs libcuda, and must be able to use the chosen
                               * file */
    /* The part of the driver that is asked for; NULL: libcuda itself. */
    const struct cua_part *part;
    bool settles; /* the decision may be written down for the container (agreed.h) */
    bool spares;  /* facts that would change only log messages are not gathered */
    /* For a what-if: may change a fact after it was gathered and before the rules see it. NULL:
     * none. */
    void (*amend)(struct cua_facts *facts, enum cua_fact fact, const struct cua_subject *subject,
                  const void *data);
    const void *data;
};

/* The verdict points into the facts, which the caller frees. For a subject other than this process
 * no trial is run, whatever the policy says. */
void cua_decide(struct cua_facts *facts, struct cua_verdict *verdict,
                const struct cua_subject *subject, const struct cua_settings *settings,
                const struct cua_policy *policy, const struct cua_request *request);

/* The file that CUARBITER_MINOR=yes would take, or try first; NULL: none. Looks for it only if
 * CUARBITER_MINOR is auto and the verdict takes the host's driver because it works. Gathers the
 * facts that this needs, but runs no trial. */
const struct cua_umd *cua_decide_minor(struct cua_facts *facts, const struct cua_verdict *verdict,
                                       const struct cua_subject *subject,
                                       const struct cua_policy *policy,
                                       const struct cua_request *request);

/* Gathers the brought drivers; for a subject other than this process there are none. Call it after
 * the other candidates are gathered. */
void cua_gather_brought(struct cua_facts *facts, const struct cua_subject *subject,
                        const struct cua_settings *settings, const struct cua_policy *policy);

/* Gathers one fact, for callers that need no verdict. */
void cua_gather(struct cua_facts *facts, enum cua_fact fact, const struct cua_subject *subject,
                const struct cua_policy *policy, const struct cua_request *request);

#endif
