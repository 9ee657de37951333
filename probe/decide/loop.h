/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a machine to a verdict: the one way that shim and command both go. The rules ask, a gatherer
 * answers, until the rules have a verdict. What they do not ask for is not looked at. */
#ifndef CUA_LOOP_H
#define CUA_LOOP_H

#include "loader/loadable.h"
#include "machine/settings.h"
#include "machine/subject.h"
#include "rules/rules.h"

struct cua_request {
    const char *loader; /* the file that ld.so would take, as this process can open it, "" none */
    int *opened;        /* its descriptor, -1 where there is none or it was taken; NULL */
    bool by_path;       /* by a path rather than by a name */
    const char *const *needed; /* of closure.h: what is being loaded; NULL */
    struct cua_binder binder;  /* who needs libcuda, for what is chosen instead of `loader` */
    /* For a what-if: may change a fact that was gathered, before the rules see it; NULL. */
    void (*amend)(struct cua_facts *facts, enum cua_fact fact, const struct cua_subject *subject,
                  const void *data);
    const void *data;
};

/* The verdict points into the facts, which are to be freed. Of another subject than this process
 * nothing is tried, whatever the policy. */
void cua_decide(struct cua_facts *facts, struct cua_verdict *verdict,
                const struct cua_subject *subject, const struct cua_settings *settings,
                const struct cua_policy *policy, const struct cua_request *request);

/* One fact, for those who need no verdict. */
void cua_gather(struct cua_facts *facts, enum cua_fact fact, const struct cua_subject *subject,
                const struct cua_policy *policy, const struct cua_request *request);

#endif
