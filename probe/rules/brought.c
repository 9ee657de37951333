/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/brought.h"

#include <string.h>

#include "rules/need.h"
#include "rules/rank.h"

/* The CUDA that the program needs: the later of the known lower bound and what the image declares
 * for the same major. */
static unsigned wanted(const struct cua_facts *facts)
{
    unsigned exact = cua_need(facts).cuda;

    return exact > facts->toolkit.cuda ? exact : facts->toolkit.cuda;
}

/* Whether the program's CUDA major is later than that of the host's driver. Within one major the
 * host's driver can start the program. */
static bool is_of_later_major(const struct cua_facts *facts)
{
    unsigned own = cua_data_umd_cuda(facts->data, &facts->kmd.version);

    return own && wanted(facts) / 1000 > own / 1000;
}

static bool fits(const struct cua_facts *facts, const struct cua_umd *umd)
{
    return cua_is_brought(umd) && umd->trusted && umd->companions &&
           umd->cuda / 1000 >= wanted(facts) / 1000;
}

/* Returns >0 if `a` comes before `b`. */
static int compare(const struct cua_umd *a, const struct cua_umd *b, unsigned cuda)
{
    bool late = a->cuda >= cuda;
    int order = (int)a->cuda - (int)b->cuda;

    if (late != (b->cuda >= cuda))
        return late ? 1 : -1;
    return (late ? -order : order) ?: cua_version_compare(&a->version, &b->version)
           ?: strcmp(b->path, a->path);
}

/* The next candidate after `last`; NULL: the first of all. */
static const struct cua_umd *next_of(const struct cua_facts *facts, const struct cua_umd *last)
{
    const unsigned cuda = wanted(facts);
    const struct cua_umd *first = NULL;

    for (const struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next)
        if (fits(facts, umd) && (!last || compare(umd, last, cuda) < 0) &&
            (!first || compare(umd, first, cuda) > 0))
            first = umd;
    return first;
}

const struct cua_umd *cua_first_brought(const struct cua_facts *facts)
{
    return next_of(facts, NULL);
}

bool cua_is_proven(const struct cua_facts *facts, const struct cua_umd *umd)
{
    return cua_weigh(facts, umd).worth >= CUA_GRADE_MEASURED;
}

/* Has the candidates tried one at a time, because each trial costs a process and the first nearly
 * always answers 0. */
static bool take_tried(const struct cua_bench *bench)
{
    const struct cua_facts *facts = bench->facts;

    for (const struct cua_umd *umd = NULL; (umd = next_of(facts, umd));) {
        if (!cua_is_proven(facts, umd) || umd->loads == CUA_LOADS_NO)
            continue;
        if (umd->tried == CUA_TRIAL_NONE) {
            bench->verdict->trials = 0;
            cua_ask_trial(bench, umd);
            return true;
        }
        if (!cua_has_worked(umd))
            continue;
        cua_choose(bench, umd, CUA_WORKS_YES, CUA_REASON_NEWER_BROUGHT);
        return true;
    }
    return false;
}

bool cua_take_brought(const struct cua_bench *bench)
{
    const struct cua_facts *facts = bench->facts;

    if (bench->verdict->next || bench->policy->unbrought ||
        bench->policy->trial == CUA_TRIAL_NEVER || !facts->by_name || facts->bound ||
        facts->kmd.platform != CUA_PLATFORM_LINUX || !is_of_later_major(facts))
        return false;
    if (cua_asks(bench, CUA_FACT_BROUGHT))
        return true;
    if (!cua_first_brought(facts))
        return false;
    if (cua_asks(bench, CUA_FACT_CIRCUMSTANCES))
        return true;
    return !cua_is_part_or_sealed(facts) && cua_may_try(bench) && take_tried(bench);
}
