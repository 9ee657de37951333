/* SPDX-License-Identifier: Apache-2.0 */
/* Loader's choice, UMD, native, bundled, brought, trial: see rules.h. */
#include "rules/rules.h"

#include <string.h>

#include "rules/brought.h"
#include "rules/need.h"
#include "rules/rank.h"

static void nothing_works(const struct cua_bench *bench)
{
    const struct cua_facts *facts = bench->facts;
    enum cua_works works = CUA_WORKS_NO;
    bool usable = false, unloadable = false;

    for (const struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next) {
        usable |= umd->state == CUA_UMD_USABLE && (umd->trusted || umd == facts->loader) &&
                  !cua_is_brought(umd);
        enum cua_grade worth =
            cua_is_takeable(facts, umd) ? cua_weigh(facts, umd).worth : CUA_GRADE_NONE;
        bool found = worth > CUA_GRADE_GUESS || (worth && !bench->verdict->untried &&
                                                 cua_has_worked(umd) && cua_may_serve(facts, umd));
        /* This file should work, but it was not taken. So it fails in a trial, or it does not load
         * here. */
        if (found)
            unloadable |= !cua_trial_fails(facts, umd);
        else if (worth)
            works = CUA_WORKS_UNKNOWN;
    }
    if (!usable)
        cua_choose(bench, NULL, CUA_WORKS_NO, CUA_REASON_NO_UMD);
    else if (unloadable)
        cua_choose(bench, NULL, works, CUA_REASON_NOT_LOADABLE);
    else if (cua_host_was_upgraded(facts))
        cua_choose(bench, NULL, works, CUA_REASON_MODULE_STALE);
    else if (facts->kmd.platform == CUA_PLATFORM_LINUX && !cua_version_known(&facts->kmd.version))
        cua_choose(bench, NULL, CUA_WORKS_UNKNOWN, CUA_REASON_KMD_UNKNOWN);
    else
        cua_choose(bench, NULL, works,
                   works == CUA_WORKS_NO ? CUA_REASON_NO_NATIVE : CUA_REASON_UNDECIDED);
}

/* Takes the best UMD that `fit` accepts and that works by evidence of at least grade `least`. If
 * there is none, takes the best one that is worth at least `tried` and answered 0 in a trial.
 * False: there is none, or the verdict asks for a fact or a trial first. Also if true, the verdict
 * may ask for a trial of another UMD. */
static bool replace(const struct cua_bench *bench, enum cua_grade least, enum cua_grade tried,
                    cua_fits *fit)
{
    const struct cua_umd *best = cua_best_of(bench, least, fit);

    if (best)
        cua_choose(bench, best, CUA_WORKS_YES,
                   best == bench->facts->native ? CUA_REASON_NATIVE : CUA_REASON_NEWER_CERTAIN);
    else if ((best = cua_best_tried(bench, tried, fit)))
        cua_choose(bench, best, CUA_WORKS_YES, CUA_REASON_NEWER_TRIED);
    return best;
}

/* Takes native in place of a loader's choice that fails or is missing. False if native is missing,
 * does not load, fails in a trial or does not serve the program's CUDA. */
static bool take_native(const struct cua_bench *bench)
{
    const struct cua_umd *native = bench->facts->native;

    if (!native || cua_is_out(bench->facts, native) || !cua_may_serve(bench->facts, native))
        return false;
    cua_choose(bench, native, CUA_WORKS_YES, CUA_REASON_NATIVE);
    return true;
}

/* Chooses a file where the loader's choice fails or is missing. `tried`: only a trial shows that it
 * fails, and the next trial may answer otherwise. So if no other file is taken, and native
 * certainly does not serve the program's CUDA, the loader's choice stays. */
static void rule_failing(const struct cua_bench *bench, bool tried)
{
    const struct cua_facts *facts = bench->facts;
    const struct cua_umd *certain, *native = facts->native;

    if (cua_asks(bench, CUA_FACT_NATIVE) || cua_asks_for_cuda(bench))
        return;
    if (take_native(bench) || cua_asks_for_replacements(bench) ||
        replace(bench, CUA_GRADE_DECLARED, CUA_GRADE_GUESS, cua_may_serve) ||
        cua_take_brought(bench))
        return;
    if (native && tried && cua_serves(facts, native, false) == CUA_WORKS_NO)
        cua_choose(bench, facts->loader, CUA_WORKS_NO, CUA_REASON_TRIAL_FAILED);
    else if (native && !cua_is_out(facts, native))
        cua_choose(bench, native, CUA_WORKS_YES, CUA_REASON_NATIVE);
    else if ((certain = cua_best_of(bench, CUA_GRADE_DECLARED, NULL)))
        cua_choose(bench, certain, CUA_WORKS_YES, CUA_REASON_NEWER_CERTAIN);
    else
        nothing_works(bench);
}

/* Chooses a file where the program's own runtime would get error 35 with the loader's choice. A
 * replacement must be tried before it is taken, unless a reported run or its ELF note shows that it
 * works, because a mapped runtime is not always the one that the program calls. */
static void rule_not_serving(const struct cua_bench *bench, const struct cua_fate *fate)
{
    if (!cua_asks(bench, CUA_FACT_NATIVE) && !cua_asks_for_replacements(bench) &&
        !replace(bench, CUA_GRADE_MEASURED, CUA_GRADE_GUESS, cua_surely_serves) &&
        !cua_take_brought(bench))
        cua_choose(bench, bench->facts->loader, fate->works, CUA_REASON_RUNTIME_TOO_NEW);
}

/* The file that the container's processes have agreed on (decide/agreed.h). NULL if they agreed on
 * none, or if this process cannot take it, because it is not among `best`, does not load here, or
 * fails in a trial. */
static const struct cua_umd *agreed_on(const struct cua_bench *bench,
                                       const struct cua_weighed *best, unsigned count)
{
    const struct cua_facts *facts = bench->facts;

    if (facts->agreed.what == CUA_AGREED_FILE)
        for (unsigned i = 0; i < count; i++)
            if (best[i].umd->key.ino == facts->agreed.file.ino &&
                best[i].umd->key.dev == facts->agreed.file.dev && !cua_is_out(facts, best[i].umd))
                return best[i].umd;
    return NULL;
}

/* Replaces native by a bundled driver for a program of the same CUDA major but a later minor.
 * False: native stays. Native runs the program too, so the replacement must have answered 0 in a
 * trial, and no setting may refuse bundled drivers.
 *
 * All processes of one job must get the same driver:
 * - The processes of one container agree on a driver (decide/agreed.h). A process that follows the
 *   agreement does not try the driver itself.
 * - A job of several containers keeps native.
 * - A job whose ranks may all be in this container follows an agreement that exists: the process
 *   that made it may have seen no sign of other ranks. Without an agreement, it agrees on native.
 * - The policy `report` changes nothing, so it neither makes nor follows an agreement.
 * - With `minor=yes`, the user asks for the replacement, so settings, other containers and
 *   agreements do not matter. */
static bool replace_within_major(const struct cua_bench *bench)
{
    const struct cua_facts *facts = bench->facts;
    const struct cua_circumstances *around = &facts->circumstances;
    const bool yes = bench->policy->minor == CUA_MINOR_YES;
    const bool agrees = !yes && bench->policy->kind != CUA_POLICY_REPORT;
    const bool several = !yes && around->several[0];
    struct cua_weighed best[CUA_TRIALS_MOST + 1];
    const unsigned count = cua_rank(bench, CUA_GRADE_DECLARED, cua_fits_minor, best);
    const struct cua_umd *taken = NULL;

    if (!count || (!yes && around->refusal[0]) || (several && !around->unsure))
        return false;
    if (agrees && cua_asks(bench, CUA_FACT_AGREED))
        return true;
    if (agrees && facts->agreed.what != CUA_AGREED_NOTHING) {
        taken = agreed_on(bench, best, count);
    } else {
        if (!several)
            taken = cua_best_tried(bench, CUA_GRADE_DECLARED, cua_fits_minor);
        bench->verdict->settles = agrees;
    }
    if (taken)
        cua_choose(bench, taken, CUA_WORKS_YES, CUA_REASON_NEWER_MINOR);
    return taken;
}

/* Chooses a file where the loader's choice is native, and so works: it stays, but for a program of
 * a later CUDA a bundled or brought driver may replace it. (If a runtime is known to be of a later
 * major, rule_not_serving applies instead.) */
static void rule_native(const struct cua_bench *bench)
{
    const struct cua_facts *facts = bench->facts;
    const unsigned needs = cua_need(facts).cuda, has = facts->loader->cuda;
    const bool major = needs / 1000 > has / 1000;

    if (has && needs / 10 > has / 10 && (major || bench->policy->minor != CUA_MINOR_NO) &&
        facts->by_name && !facts->bound && facts->kmd.platform == CUA_PLATFORM_LINUX) {
        if (cua_asks(bench, CUA_FACT_NATIVE) || cua_asks_for_replacements(bench) ||
            cua_asks(bench, CUA_FACT_CIRCUMSTANCES))
            return;
        if (!cua_is_part_or_sealed(facts) &&
            (major ? replace(bench, CUA_GRADE_MEASURED, CUA_GRADE_DECLARED, cua_fits_major) ||
                         cua_take_brought(bench)
                   : replace_within_major(bench)))
            return;
    }
    cua_choose(bench, facts->loader, CUA_WORKS_YES, CUA_REASON_NATIVE);
}

/* Chooses a file where it is open whether the loader's choice works. If another file could replace
 * it, a trial of the loader's choice decides. */
static void rule_open(const struct cua_bench *bench, const struct cua_fate *fate)
{
    const struct cua_facts *facts = bench->facts;
    const struct cua_umd *loader = facts->loader, *other = facts->native;
    struct cua_weighed best[CUA_TRIALS_MOST + 1];
    enum cua_reason open =
        fate->reason == CUA_REASON_KMD_MISSING ? CUA_REASON_KMD_UNKNOWN : CUA_REASON_UNDECIDED;

    if (cua_asks(bench, CUA_FACT_NATIVE) || (!other && cua_asks_for_replacements(bench)))
        return;
    if (!other) {
        open = cua_host_was_upgraded(facts) ? CUA_REASON_MODULE_STALE : open;
        other = cua_rank(bench, CUA_GRADE_GUESS, NULL, best) ? best[0].umd : NULL;
    }
    if (!other || !cua_may_try(bench))
        cua_choose(bench, loader, CUA_WORKS_UNKNOWN, open);
    else if (loader->tried == CUA_TRIAL_NONE)
        cua_ask_trial(bench, loader);
    else if (cua_trial_fails(facts, loader))
        rule_failing(bench, true);
    else if (cua_has_worked(loader))
        cua_choose(bench, loader, CUA_WORKS_YES, CUA_REASON_KEPT_TRIED);
    else
        cua_choose(bench, loader, CUA_WORKS_UNKNOWN, open);
}

/* Judges the loader's choice; if there is none, that counts as failing. */
static void judge_loader(const struct cua_bench *bench, struct cua_fate *fate)
{
    *fate = (struct cua_fate){.works = CUA_WORKS_NO};
    if (bench->facts->loader)
        cua_fate(fate, bench->facts, bench->facts->loader, false);
}

/* Chooses a file for a library of the driver other than libcuda (drivers/part.h). Replaces the
 * loader's choice by the native file only if the loader's choice is certain to fail or is missing.
 * This holds under every policy except `off`, because policies choose a libcuda. */
static void rule_part(const struct cua_bench *bench)
{
    struct cua_fate fate;

    judge_loader(bench, &fate);
    if (fate.works != CUA_WORKS_NO)
        cua_choose(bench, bench->facts->loader, fate.works, CUA_REASON_KEPT);
    else if (!cua_asks(bench, CUA_FACT_NATIVE) && !take_native(bench))
        cua_choose(bench, bench->facts->loader, CUA_WORKS_NO, CUA_REASON_KEPT);
}

static void rule_auto(const struct cua_bench *bench)
{
    const struct cua_facts *facts = bench->facts;
    struct cua_fate fate;

    judge_loader(bench, &fate);
    if (cua_asks(bench, fate.ask))
        return;
    if (fate.works == CUA_WORKS_NO)
        rule_failing(bench, false);
    else if (cua_asks_for_cuda(bench))
        return;
    else if (cua_serves(facts, facts->loader, false) == CUA_WORKS_NO)
        rule_not_serving(bench, &fate);
    else if (fate.works == CUA_WORKS_UNKNOWN)
        rule_open(bench, &fate);
    else if (fate.reason == CUA_REASON_NATIVE)
        rule_native(bench);
    else
        cua_choose(bench, facts->loader, CUA_WORKS_YES, CUA_REASON_KEPT);
}

static bool gives_more(const struct cua_facts *facts, const struct cua_umd *umd)
{
    const struct cua_umd *loader = facts->loader;

    return umd->companions && cua_may_serve(facts, umd) &&
           (!loader || (loader->cuda && umd->cuda > loader->cuda));
}

/* The policy `newest`: takes the file of the latest CUDA that works in a trial, if that CUDA is
 * later than the CUDA of the loader's choice, or if the latter is missing. If there is no such
 * file, the policy `auto` applies. As in rule_native, the request must be by name, no library that
 * is tied to the host's driver may be in use, and MIG and confidential computing are excluded. A
 * file that is only guessed to work is not tried: cuInit may answer 0 even on a GPU that the
 * driver's branch has dropped. */
static void rule_newest(const struct cua_bench *bench)
{
    const struct cua_facts *facts = bench->facts;
    const struct cua_bench by_cuda = {bench->verdict, facts, bench->policy, true};
    const struct cua_umd *newest = NULL;

    if (cua_asks_for_cuda(bench) || cua_asks(bench, CUA_FACT_NATIVE) ||
        cua_asks_for_replacements(bench) || cua_asks(bench, CUA_FACT_CIRCUMSTANCES))
        return;
    if (facts->by_name && !facts->bound && !cua_is_part_or_sealed(facts))
        newest = cua_best_tried(&by_cuda, CUA_GRADE_DECLARED, gives_more);
    if (bench->verdict->next)
        return;
    bench->verdict->trials = 0;
    if (newest)
        cua_choose(bench, newest, CUA_WORKS_YES, CUA_REASON_POLICY_NEWEST);
    else
        rule_auto(bench);
}

/* Chooses the file that the policy asks for, whatever the rules say about it. */
static void take(const struct cua_bench *bench, const struct cua_umd *umd, enum cua_reason reason)
{
    struct cua_fate fate;

    cua_fate(&fate, bench->facts, umd, false);
    if (!cua_asks(bench, fate.ask) && !cua_asks_for_cuda(bench))
        cua_choose(bench, umd, fate.works, reason);
}

static void rule_host(const struct cua_bench *bench)
{
    if (cua_asks(bench, CUA_FACT_NATIVE) || cua_asks_for_cuda(bench))
        return;
    if (bench->facts->native)
        cua_choose(bench, bench->facts->native, CUA_WORKS_YES, CUA_REASON_POLICY_HOST);
    else
        rule_auto(bench);
}

/* The policy `compat`: takes the newest UMD that is newer than the kernel driver (on Tegra: a
 * compat build); without one, the policy `auto` applies. Tegra's
 * file name libcuda.so.1.1 shows no driver version. Among UMDs of the same or no known version the
 * latest CUDA wins. */
static void rule_compat(const struct cua_bench *bench)
{
    const struct cua_facts *facts = bench->facts;
    const struct cua_umd *newest = NULL;

    if (cua_asks_for_replacements(bench) ||
        (facts->loader && facts->loader->version_doubtful && cua_asks(bench, CUA_FACT_NATIVE)))
        return;
    for (const struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next)
        if ((umd->trusted || umd == facts->loader) && cua_is_newer(facts, umd) &&
            !cua_is_brought(umd) &&
            (!newest || (cua_version_compare(&umd->version, &newest->version)
                             ?: (int)umd->cuda - (int)newest->cuda
                             ?: strcmp(newest->path, umd->path)) > 0))
            newest = umd;
    if (newest)
        take(bench, newest, CUA_REASON_POLICY_COMPAT);
    else
        rule_auto(bench);
}

static void rule(const struct cua_bench *bench)
{
    const struct cua_policy *policy = bench->policy;
    const struct cua_facts *facts = bench->facts;
    const struct cua_umd *named;

    if (policy->kind == CUA_POLICY_OFF || policy->disabled)
        cua_choose(bench, NULL, CUA_WORKS_UNKNOWN, CUA_REASON_POLICY_OFF);
    else if (cua_asks(bench, CUA_FACT_KMD) || cua_asks(bench, CUA_FACT_LOADER))
        return;
    else if (facts->part)
        rule_part(bench);
    else if (policy->libcuda[0] && (named = cua_named(facts)))
        take(bench, named, CUA_REASON_POLICY_FILE);
    else if (facts->loader && facts->loader->state == CUA_UMD_FOREIGN)
        cua_choose(bench, NULL, CUA_WORKS_UNKNOWN, CUA_REASON_FOREIGN);
    else if (facts->kmd.platform == CUA_PLATFORM_NONE)
        cua_choose(bench, NULL, CUA_WORKS_NO, CUA_REASON_NO_DRIVER);
    else if (policy->kind == CUA_POLICY_HOST)
        rule_host(bench);
    else if (policy->kind == CUA_POLICY_COMPAT)
        rule_compat(bench);
    else if (policy->kind == CUA_POLICY_NEWEST)
        rule_newest(bench);
    else
        rule_auto(bench);
}

void cua_rule(struct cua_verdict *verdict, const struct cua_facts *facts,
              const struct cua_policy *policy)
{
    const struct cua_bench bench = {verdict, facts, policy, false};

    *verdict = (struct cua_verdict){.next = CUA_FACT_NOTHING};
    rule(&bench);
    for (int fact = 0; fact < CUA_FACTS; fact++)
        verdict->rests_on |= facts->asked[fact] ? 1u << fact : 0;
}
