/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/bench.h"

#include "facts/native.h"

bool cua_asks(const struct cua_bench *bench, enum cua_fact fact)
{
    if (fact == CUA_FACT_NOTHING || bench->facts->asked[fact])
        return false;
    bench->verdict->next = fact;
    return true;
}

bool cua_asks_for_cuda(const struct cua_bench *bench)
{
    return cua_asks(bench, CUA_FACT_TOOLKIT) ||
           ((bench->facts->toolkit.cuda || bench->facts->toolkit.compiler) &&
            cua_asks(bench, CUA_FACT_TABLES));
}

void cua_choose(const struct cua_bench *bench, const struct cua_umd *umd, enum cua_works works,
                enum cua_reason reason)
{
    struct cua_verdict *verdict = bench->verdict;

    if (umd && umd != bench->facts->loader && umd->loads == CUA_LOADS_UNASKED && !verdict->next) {
        verdict->next = CUA_FACT_LOADS;
        verdict->trial[0] = umd->key;
        verdict->trials = 1;
    }
    verdict->chosen = umd;
    verdict->works = works;
    verdict->reason = reason;
    verdict->kind = !umd                               ? CUA_KIND_NONE
                    : cua_is_brought(umd)              ? CUA_KIND_BROUGHT
                    : cua_is_native(bench->facts, umd) ? CUA_KIND_NATIVE
                    : cua_is_newer(bench->facts, umd)  ? CUA_KIND_COMPAT
                                                       : CUA_KIND_OTHER;
    if (!umd || works == CUA_WORKS_NO)
        return;
    if (cua_serves(bench->facts, umd, false) == CUA_WORKS_NO)
        verdict->works = CUA_WORKS_NO;
    else if (cua_serves(bench->facts, umd, true) == CUA_WORKS_NO)
        verdict->works = CUA_WORKS_UNKNOWN;
    if (verdict->works != works)
        verdict->reason = CUA_REASON_RUNTIME_TOO_NEW;
}

bool cua_may_try(const struct cua_bench *bench)
{
    if (bench->policy->trial != CUA_TRIAL_NEVER && !bench->facts->gpus_none) {
        if (cua_asks(bench, CUA_FACT_GPUS) || cua_asks(bench, CUA_FACT_MPS))
            return false;
        if (!bench->facts->mps)
            return true;
    }
    bench->verdict->untried = true;
    return false;
}

void cua_ask_trial(const struct cua_bench *bench, const struct cua_umd *umd)
{
    bench->verdict->trial[bench->verdict->trials++] = umd->key;
    if (umd->tried == CUA_TRIAL_NONE)
        bench->verdict->next = CUA_FACT_TRIAL;
}

bool cua_has_worked(const struct cua_umd *umd)
{
    return umd->tried == CUA_TRIAL_ANSWERED && umd->trial_code == 0;
}

bool cua_is_out(const struct cua_facts *facts, const struct cua_umd *umd)
{
    return umd->loads == CUA_LOADS_NO || cua_trial_fails(facts, umd);
}
