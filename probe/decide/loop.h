/* SPDX-License-Identifier: Apache-2.0 */
/* Examines a machine and reaches a verdict: which libcuda a process gets, and why. Answerer and
 * command both use this loop. The rules name the next fact that they need, a gatherer provides it,
 * and so on until the rules have a verdict. Facts that the rules do not ask for are not gathered.
 * A trial is a call of cuInit in a child process. The subject is the process that is examined. */
#ifndef CUA_LOOP_H
#define CUA_LOOP_H

#include "drivers/part.h"
#include "loader/loadable.h"
#include "machine/settings.h"
#include "machine/subject.h"
#include "rules/rules.h"

struct cua_request {
    /* Path of the file that ld.so would take, in the form in which this process can open it; "":
     * ld.so would take none. */
    const char *loader;
    /* Points to a descriptor of `loader`, or to -1 if that is not open; NULL: the same as -1. When
     * cua_decide examines the file, it closes the descriptor and sets *opened to -1. */
    int *opened;
    bool by_path; /* the program asks by a path, not by a name */
    /* Of the libraries that are loaded together with the requested one, those for which
     * cua_toolkit_counts (toolkit.h) is true. NULL: not known. */
    const char *const *needed;
    struct cua_binder binder; /* the code that needs libcuda, and must be able to use the chosen
                               * file */
    /* The part of the driver (drivers/part.h) that is asked for; NULL: libcuda itself. */
    const struct cua_part *part;
    /* Whether this process may write to the file that the container's other processes follow
     * (agreed.h). If false, it only reads that file. */
    bool settles;
    bool spares; /* facts that would change only log messages are not gathered */
    /* Called after cua_gather has gathered a fact and before the rules see it; may change it, as
     * command/whatif.h does. NULL: nothing is called. */
    void (*amend)(struct cua_facts *facts, enum cua_fact fact, const struct cua_subject *subject,
                  const void *data);
    const void *data;
};

/* Gathers facts until the rules reach a verdict. The verdict points into the facts, which the
 * caller frees by cua_facts_free. For a subject other than this process no trial is run, whatever
 * the policy says. */
void cua_decide(struct cua_facts *facts, struct cua_verdict *verdict,
                const struct cua_subject *subject, const struct cua_settings *settings,
                const struct cua_policy *policy, const struct cua_request *request);

/* Returns the file that CUARBITER_MINOR=yes (base/policy.h) would take, or would try first. NULL if
 * there is none, or if a setting forbids a driver that is part of the image. Gathers the facts that
 * this needs, but runs no trial. Looks for the file only if all of these hold, otherwise returns
 * NULL:
 * - CUARBITER_MINOR is auto.
 * - The policy is `auto` or `report`, and allows trials.
 * - The verdict takes the host's driver because that works. */
const struct cua_umd *cua_decide_minor(struct cua_facts *facts, const struct cua_verdict *verdict,
                                       const struct cua_subject *subject,
                                       const struct cua_policy *policy,
                                       const struct cua_request *request);

/* Gathers the drivers that `cuarbiter driver add` brought. There are none for a subject other than
 * this process, or if the policy ignores them. Call it after all other libcudas are gathered. */
void cua_gather_brought(struct cua_facts *facts, const struct cua_subject *subject,
                        const struct cua_settings *settings, const struct cua_policy *policy);

/* Gathers one fact, for cua_decide and for callers that need no verdict. CUA_FACT_BROUGHT,
 * CUA_FACT_TRIAL and CUA_FACT_LOADS are only marked as gathered: cua_gather_brought gathers the
 * first, and cua_decide the others. */
void cua_gather(struct cua_facts *facts, enum cua_fact fact, const struct cua_subject *subject,
                const struct cua_policy *policy, const struct cua_request *request);

#endif
