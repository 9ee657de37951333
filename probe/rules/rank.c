/* SPDX-License-Identifier: Apache-2.0 */
/* UMD, candidate: see rank.h. The native driver is the kernel driver's own UMD. */
#include "rules/rank.h"

#include <string.h>

bool cua_is_takeable(const struct cua_facts *facts, const struct cua_umd *umd)
{
    return umd != facts->loader && umd->trusted && umd->state == CUA_UMD_USABLE &&
           !cua_is_brought(umd);
}

/* Computes what a candidate is worth. Under MPS a newer UMD is worth nothing, because the MPS
 * server runs on the native driver. */
struct cua_weighed cua_weigh(const struct cua_facts *facts, const struct cua_umd *umd)
{
    struct cua_weighed one = {umd, cua_serves(facts, umd, true) == CUA_WORKS_YES, CUA_GRADE_NONE};
    struct cua_fate fate;

    cua_fate(&fate, facts, umd, true);
    if (fate.works != CUA_WORKS_NO && !(facts->mps && cua_is_newer(facts, umd)))
        one.worth = fate.works == CUA_WORKS_YES ? fate.grade : CUA_GRADE_GUESS;
    return one;
}

/* Returns >0 if `one` comes before `other`. */
static int compare(const struct cua_bench *bench, const struct cua_weighed *one,
                   const struct cua_weighed *other)
{
    const struct cua_umd *a = one->umd, *b = other->umd;

    if (bench->by_cuda && a->cuda != b->cuda)
        return (int)a->cuda - (int)b->cuda;
    return one->serves - other->serves ?: (int)one->worth - (int)other->worth
           ?: a->companions - b->companions ?: (int)a->cuda - (int)b->cuda
           ?: cua_version_compare(&a->version, &b->version) ?: strcmp(b->path, a->path);
}

unsigned cua_rank(const struct cua_bench *bench, enum cua_grade least, cua_fits *fit,
                  struct cua_weighed best[CUA_TRIALS_MOST + 1])
{
    unsigned count = 0;

    for (const struct cua_umd *umd = bench->facts->umds; umd; umd = umd->hh.next) {
        unsigned at = count;
        if (!cua_is_takeable(bench->facts, umd) || (fit && !fit(bench->facts, umd)))
            continue;
        const struct cua_weighed one = cua_weigh(bench->facts, umd);
        if (one.worth < least)
            continue;
        for (; at > 0 && compare(bench, &one, &best[at - 1]) > 0; at--)
            best[at] = best[at - 1];
        best[at] = one;
        count += count < CUA_TRIALS_MOST;
    }
    return count;
}

const struct cua_umd *cua_best_of(const struct cua_bench *bench, enum cua_grade least,
                                  cua_fits *fit)
{
    struct cua_weighed best[CUA_TRIALS_MOST + 1];
    unsigned count = cua_rank(bench, least, fit, best), i = 0;

    while (i < count && cua_is_out(bench->facts, best[i].umd))
        i++;
    return i < count ? best[i].umd : NULL;
}

const struct cua_umd *cua_best_tried(const struct cua_bench *bench, enum cua_grade least,
                                     cua_fits *fit)
{
    struct cua_weighed best[CUA_TRIALS_MOST + 1];
    unsigned count = cua_rank(bench, least, fit, best);
    const struct cua_umd *first = NULL;

    if (count == 0 || !cua_may_try(bench))
        return NULL;
    for (unsigned i = 0; i < count; i++) {
        if (best[i].umd->loads == CUA_LOADS_NO)
            continue;
        cua_ask_trial(bench, best[i].umd);
        if (!first && cua_has_worked(best[i].umd))
            first = best[i].umd;
    }
    return first;
}

bool cua_may_serve(const struct cua_facts *facts, const struct cua_umd *umd)
{
    return cua_serves(facts, umd, true) != CUA_WORKS_NO;
}

bool cua_surely_serves(const struct cua_facts *facts, const struct cua_umd *umd)
{
    return cua_serves(facts, umd, false) == CUA_WORKS_YES;
}

bool cua_asks_for_replacements(const struct cua_bench *bench)
{
    if (cua_asks(bench, CUA_FACT_TABLES) || cua_asks(bench, CUA_FACT_UMDS))
        return true;
    for (const struct cua_umd *umd = bench->facts->umds; umd; umd = umd->hh.next)
        if (cua_is_takeable(bench->facts, umd) && cua_is_newer(bench->facts, umd))
            return cua_asks(bench, CUA_FACT_GPUS) || cua_asks(bench, CUA_FACT_MPS);
    return false;
}
