/* SPDX-License-Identifier: Apache-2.0 */
/* UMD, brought driver, companions, trial: see brought.h. */
#include "rules/brought.h"

#include <string.h>

#include "rules/need.h"
#include "rules/rank.h"

/* The CUDA that the program needs: the later of cua_need() and toolkit.cuda. toolkit.cuda may be
 * only a runtime's major (12.0 for any 12.x). cua_need() may be the CUDA of a compiler that is
 * older than the runtime. */
static unsigned wanted(const struct cua_facts *facts)
{
    unsigned exact = cua_need(facts).cuda;

    return exact > facts->toolkit.cuda ? exact : facts->toolkit.cuda;
}

/* Whether the program's CUDA major is later than that of the host's driver. Within one major no
 * brought driver is taken: from CUDA 11 on, the host's driver can start the program. */
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

/* Returns >0 if `a` comes before `b` for a program that needs `cuda` (the order: see
 * cua_take_brought). */
static int compare(const struct cua_umd *a, const struct cua_umd *b, unsigned cuda)
{
    bool late = a->cuda >= cuda;
    int order = (int)a->cuda - (int)b->cuda;

    if (late != (b->cuda >= cuda))
        return late ? 1 : -1;
    return (late ? -order : order) ?: cua_version_compare(&a->version, &b->version)
           ?: strcmp(b->path, a->path);
}

/* Returns the brought driver that comes after `last` in the order of compare(), or the first one if
 * `last` is NULL. NULL: there is no other. */
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

/* What `cuarbiter driver try` found with this UMD on GPUs of this model and compute capability
 * under this kernel driver. */
static enum cua_works ran_on(const struct cua_facts *facts, const struct cua_umd *umd,
                             const struct cua_gpu *gpu)
{
    for (size_t i = 0; i < umd->run_count; i++) {
        const struct cua_kernel_run *run = &umd->runs[i];
        if (gpu->model[0] && !strcmp(run->model, gpu->model) && run->cc == gpu->cc &&
            cua_version_compare(&run->kmd, &facts->kmd.version) == 0)
            return run->runs ? CUA_WORKS_YES : CUA_WORKS_NO;
    }
    return CUA_WORKS_UNKNOWN;
}

enum cua_works cua_ran_here(const struct cua_facts *facts, const struct cua_umd *umd)
{
    enum cua_works all = facts->gpus_known && facts->gpu_count ? CUA_WORKS_YES : CUA_WORKS_UNKNOWN;

    for (size_t i = 0; i < facts->gpu_count; i++) {
        enum cua_works one = ran_on(facts, umd, &facts->gpus[i]);
        if (one == CUA_WORKS_NO)
            return one;
        all = one == CUA_WORKS_YES ? all : CUA_WORKS_UNKNOWN;
    }
    return all;
}

bool cua_is_proven(const struct cua_facts *facts, const struct cua_umd *umd)
{
    const enum cua_works here = cua_ran_here(facts, umd);
    const enum cua_grade worth = cua_weigh(facts, umd).worth;

    return here != CUA_WORKS_NO && (worth >= CUA_GRADE_MEASURED || (here && worth));
}

/* Takes the first brought driver that is proven and works in a trial. Asks for one trial at a time,
 * because each costs a process and the first nearly always answers 0. False: there is none. */
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
