/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/rules.h"

#include <string.h>

#include "facts/native.h"

struct bench {
    struct cua_verdict *verdict;
    const struct cua_facts *facts;
    const struct cua_policy *policy;
};

/* Whether a UMD may be taken. */
typedef bool fits(const struct cua_facts *facts, const struct cua_umd *umd);

/* True if the fact has to be asked for first; then that is the verdict. */
static bool asks(const struct bench *bench, enum cua_fact fact)
{
    if (fact == CUA_FACT_NOTHING || bench->facts->asked[fact])
        return false;
    bench->verdict->next = fact;
    return true;
}

/* Asks for the program's CUDA and, where it is known, for that of the drivers. */
static bool asks_for_cuda(const struct bench *bench)
{
    return asks(bench, CUA_FACT_TOOLKIT) ||
           (bench->facts->toolkit.cuda && asks(bench, CUA_FACT_TABLES));
}

/* Means nothing where a fact has to be asked for first. */
static void choose(const struct bench *bench, const struct cua_umd *umd, enum cua_works works,
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

/* Whether a trial may run now. False too while the GPUs and MPS are not known: the GPUs are part of
 * the key under which its answer is kept. */
static bool may_try(const struct bench *bench)
{
    if (bench->policy->trial != CUA_TRIAL_NEVER && !bench->facts->gpus_none) {
        if (asks(bench, CUA_FACT_GPUS) || asks(bench, CUA_FACT_MPS))
            return false;
        if (!bench->facts->mps)
            return true;
    }
    bench->verdict->untried = true;
    return false;
}

/* Adds it to the trial, which is asked for if this one was not tried yet. */
static void ask_trial(const struct bench *bench, const struct cua_umd *umd)
{
    bench->verdict->trial[bench->verdict->trials++] = umd->key;
    if (umd->tried == CUA_TRIAL_NONE)
        bench->verdict->next = CUA_FACT_TRIAL;
}

static bool has_worked(const struct cua_umd *umd)
{
    return umd->tried == CUA_TRIAL_ANSWERED && umd->trial_code == 0;
}

static bool is_takeable(const struct cua_facts *facts, const struct cua_umd *umd)
{
    return umd != facts->loader && umd->trusted && umd->state == CUA_UMD_USABLE;
}

/* A candidate, weighed once: its fate asks the tables, and it is compared with many. */
struct weighed {
    const struct cua_umd *umd;
    bool serves;
    enum cua_grade worth; /* of one that works; GUESS: open; NONE: replaces nothing */
};

/* Under MPS a newer one replaces nothing: the MPS server runs on the native driver. */
static struct weighed weigh(const struct cua_facts *facts, const struct cua_umd *umd)
{
    struct weighed one = {umd, cua_serves(facts, umd, true) == CUA_WORKS_YES, CUA_GRADE_NONE};
    struct cua_fate fate;

    cua_fate(&fate, facts, umd, true);
    if (fate.works != CUA_WORKS_NO && !(facts->mps && cua_is_newer(facts, umd)))
        one.worth = fate.works == CUA_WORKS_YES ? fate.grade : CUA_GRADE_GUESS;
    return one;
}

/* >0 if `one` comes first. */
static int compare(const struct bench *bench, const struct weighed *one,
                   const struct weighed *other)
{
    const struct cua_umd *a = one->umd, *b = other->umd;
    int newest = a->companions - b->companions ?: (int)a->cuda - (int)b->cuda;

    if (bench->policy->kind == CUA_POLICY_NEWEST && newest)
        return newest;
    return one->serves - other->serves ?: (int)one->worth - (int)other->worth
           ?: a->companions - b->companions ?: (int)a->cuda - (int)b->cuda
           ?: cua_version_compare(&a->version, &b->version) ?: strcmp(b->path, a->path);
}

/* The best few replacements that are worth at least that, in order; returns how many. One place is
 * for what falls off. `fit` may be NULL. */
static unsigned rank(const struct bench *bench, enum cua_grade least, fits *fit,
                     struct weighed best[CUA_TRIALS_MOST + 1])
{
    unsigned count = 0;

    for (const struct cua_umd *umd = bench->facts->umds; umd; umd = umd->hh.next) {
        unsigned at = count;
        if (!is_takeable(bench->facts, umd) || (fit && !fit(bench->facts, umd)))
            continue;
        const struct weighed one = weigh(bench->facts, umd);
        if (one.worth < least)
            continue;
        for (; at > 0 && compare(bench, &one, &best[at - 1]) > 0; at--)
            best[at] = best[at - 1];
        best[at] = one;
        count += count < CUA_TRIALS_MOST;
    }
    return count;
}

static const struct cua_umd *best_of(const struct bench *bench, enum cua_grade least, fits *fit)
{
    struct weighed best[CUA_TRIALS_MOST + 1];
    unsigned count = rank(bench, least, fit, best), i = 0;

    while (i < count && best[i].umd->loads == CUA_LOADS_NO)
        i++;
    return i < count ? best[i].umd : NULL;
}

/* The best of those worth at least that which answers 0 in a trial. One run tries the best few. */
static const struct cua_umd *best_tried(const struct bench *bench, enum cua_grade least, fits *fit)
{
    struct weighed best[CUA_TRIALS_MOST + 1];
    unsigned count = rank(bench, least, fit, best);
    const struct cua_umd *first = NULL;

    if (count == 0 || !may_try(bench))
        return NULL;
    for (unsigned i = 0; i < count; i++) {
        if (best[i].umd->loads == CUA_LOADS_NO)
            continue;
        ask_trial(bench, best[i].umd);
        if (!first && has_worked(best[i].umd))
            first = best[i].umd;
    }
    return first;
}

static bool serves(const struct cua_facts *facts, const struct cua_umd *umd)
{
    return cua_serves(facts, umd, true) != CUA_WORKS_NO;
}

static bool surely_serves(const struct cua_facts *facts, const struct cua_umd *umd)
{
    return cua_serves(facts, umd, false) == CUA_WORKS_YES;
}

/* Asks for the facts that rank replacements, as far as there are any. */
static bool asks_for_replacements(const struct bench *bench)
{
    if (asks(bench, CUA_FACT_TABLES) || asks(bench, CUA_FACT_UMDS))
        return true;
    for (const struct cua_umd *umd = bench->facts->umds; umd; umd = umd->hh.next)
        if (is_takeable(bench->facts, umd) && cua_is_newer(bench->facts, umd))
            return asks(bench, CUA_FACT_GPUS) || asks(bench, CUA_FACT_MPS);
    return false;
}

/* A mounted libcuda, or one of the module's branch, is the host's. If it is newer, the host was
 * upgraded without reloading nvidia.ko. */
static bool host_was_upgraded(const struct cua_facts *facts)
{
    for (const struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next)
        if (cua_is_newer(facts, umd) && !(umd->found & CUA_FOUND_COMPAT) &&
            (umd->found & CUA_FOUND_MOUNT || (umd->found & (CUA_FOUND_DEFAULT | CUA_FOUND_CACHE) &&
                                              umd->version.part[0] == facts->kmd.version.part[0])))
            return true;
    return false;
}

static void nothing_works(const struct bench *bench)
{
    const struct cua_facts *facts = bench->facts;
    enum cua_works works = CUA_WORKS_NO;
    bool usable = false, unloadable = false;

    for (const struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next) {
        usable |= umd->state == CUA_UMD_USABLE && (umd->trusted || umd == facts->loader);
        enum cua_grade worth = is_takeable(facts, umd) ? weigh(facts, umd).worth : CUA_GRADE_NONE;
        bool found = worth > CUA_GRADE_GUESS ||
                     (worth && !bench->verdict->untried && has_worked(umd) && serves(facts, umd));
        if (found)
            unloadable |= umd->loads == CUA_LOADS_NO;
        else if (worth)
            works = CUA_WORKS_UNKNOWN;
    }
    if (!usable)
        choose(bench, NULL, CUA_WORKS_NO, CUA_REASON_NO_UMD);
    else if (unloadable)
        choose(bench, NULL, works, CUA_REASON_NOT_LOADABLE);
    else if (host_was_upgraded(facts))
        choose(bench, NULL, works, CUA_REASON_MODULE_STALE);
    else if (facts->kmd.platform == CUA_PLATFORM_LINUX && !cua_version_known(&facts->kmd.version))
        choose(bench, NULL, CUA_WORKS_UNKNOWN, CUA_REASON_KMD_UNKNOWN);
    else
        choose(bench, NULL, works,
               works == CUA_WORKS_NO ? CUA_REASON_NO_NATIVE : CUA_REASON_UNDECIDED);
}

/* Takes the best that works by at least that grade and fits, else the best that is worth `tried`
 * and that a trial finds. False: there is none, or a trial has to come first. */
static bool replace(const struct bench *bench, enum cua_grade least, enum cua_grade tried,
                    fits *fit)
{
    const struct cua_umd *best = best_of(bench, least, fit);

    if (best)
        choose(bench, best, CUA_WORKS_YES,
               best == bench->facts->native ? CUA_REASON_NATIVE : CUA_REASON_NEWER_CERTAIN);
    else if ((best = best_tried(bench, tried, fit)))
        choose(bench, best, CUA_WORKS_YES, CUA_REASON_NEWER_TRIED);
    return best;
}

/* Row 3: the loader's choice fails, or there is none. `tried`: only a trial says so, and may say
 * something else next time. */
static void rule_failing(const struct bench *bench, bool tried)
{
    const struct cua_facts *facts = bench->facts;
    const struct cua_umd *certain, *native = facts->native;

    if (asks(bench, CUA_FACT_NATIVE) || asks_for_cuda(bench))
        return;
    bool loads = native && native->loads != CUA_LOADS_NO;
    if (loads && serves(facts, native))
        choose(bench, native, CUA_WORKS_YES, CUA_REASON_NATIVE);
    else if (asks_for_replacements(bench) ||
             replace(bench, CUA_GRADE_DECLARED, CUA_GRADE_GUESS, serves))
        return;
    else if (native && tried && cua_serves(facts, native, false) == CUA_WORKS_NO)
        choose(bench, facts->loader, CUA_WORKS_NO, CUA_REASON_TRIAL_FAILED);
    else if (loads)
        choose(bench, native, CUA_WORKS_YES, CUA_REASON_NATIVE);
    else if ((certain = best_of(bench, CUA_GRADE_DECLARED, NULL)))
        choose(bench, certain, CUA_WORKS_YES, CUA_REASON_NEWER_CERTAIN);
    else
        nothing_works(bench);
}

/* Row 4: the program's own runtime answers 35 on the loader's choice. What is only declared to work
 * has to be tried: a mapped runtime is not always the one that the program calls. */
static void rule_not_serving(const struct bench *bench, const struct cua_fate *fate)
{
    if (!asks(bench, CUA_FACT_NATIVE) && !asks_for_replacements(bench) &&
        !replace(bench, CUA_GRADE_MEASURED, CUA_GRADE_GUESS, surely_serves))
        choose(bench, bench->facts->loader, fate->works, CUA_REASON_RUNTIME_TOO_NEW);
}

static bool is_sure_replacement(const struct cua_facts *facts, const struct cua_umd *umd)
{
    return umd->companions && cua_serves(facts, umd, true) == CUA_WORKS_YES;
}

/* The exception of row 2: the image declares a later major than native's CUDA, and a bundled compat
 * works on every GPU, hidden ones too: by its own note or a measured run, or it is declared to and
 * answers 0 in a trial. */
static void rule_native(const struct bench *bench)
{
    const struct cua_facts *facts = bench->facts;

    /* rule_auto has dealt with a real runtime: only the image's hint can object here. */
    bool hinted = facts->by_name && !facts->bound && facts->kmd.platform == CUA_PLATFORM_LINUX &&
                  !serves(facts, facts->loader);
    if (hinted && (asks(bench, CUA_FACT_NATIVE) || asks_for_replacements(bench) ||
                   replace(bench, CUA_GRADE_MEASURED, CUA_GRADE_DECLARED, is_sure_replacement)))
        return;
    choose(bench, facts->loader, CUA_WORKS_YES, CUA_REASON_NATIVE);
}

/* Row 5: the loader's choice is open. It is tried if there is something else to take. */
static void rule_open(const struct bench *bench, const struct cua_fate *fate)
{
    const struct cua_facts *facts = bench->facts;
    const struct cua_umd *loader = facts->loader, *other = facts->native;
    struct weighed best[CUA_TRIALS_MOST + 1];
    enum cua_reason open =
        fate->reason == CUA_REASON_KMD_MISSING ? CUA_REASON_KMD_UNKNOWN : CUA_REASON_UNDECIDED;

    if (asks(bench, CUA_FACT_NATIVE) || (!other && asks_for_replacements(bench)))
        return;
    if (!other) {
        open = host_was_upgraded(facts) ? CUA_REASON_MODULE_STALE : open;
        other = rank(bench, CUA_GRADE_GUESS, NULL, best) ? best[0].umd : NULL;
    }
    if (!other || !may_try(bench))
        choose(bench, loader, CUA_WORKS_UNKNOWN, open);
    else if (loader->tried == CUA_TRIAL_NONE)
        ask_trial(bench, loader);
    else if (cua_trial_fails(facts, loader))
        rule_failing(bench, true);
    else if (has_worked(loader))
        choose(bench, loader, CUA_WORKS_YES, CUA_REASON_KEPT_TRIED);
    else
        choose(bench, loader, CUA_WORKS_UNKNOWN, open);
}

static void rule_auto(const struct bench *bench)
{
    const struct cua_facts *facts = bench->facts;
    struct cua_fate fate = {.works = CUA_WORKS_NO};

    if (facts->loader)
        cua_fate(&fate, facts, facts->loader, false);
    if (asks(bench, fate.ask))
        return;
    if (fate.works == CUA_WORKS_NO)
        rule_failing(bench, false);
    else if (asks_for_cuda(bench))
        return;
    else if (cua_serves(facts, facts->loader, false) == CUA_WORKS_NO)
        rule_not_serving(bench, &fate);
    else if (fate.works == CUA_WORKS_UNKNOWN)
        rule_open(bench, &fate);
    else if (fate.reason == CUA_REASON_NATIVE)
        rule_native(bench);
    else
        choose(bench, facts->loader, CUA_WORKS_YES, CUA_REASON_KEPT);
}

static bool gives_more(const struct cua_facts *facts, const struct cua_umd *umd)
{
    const struct cua_umd *loader = facts->loader;

    return umd->companions && serves(facts, umd) &&
           (!loader || (loader->cuda && umd->cuda > loader->cuda));
}

/* With the limits of the exception of row 2: cuInit alone does not show that a branch has dropped a
 * GPU, so what is only guessed to work is not taken from a driver that does. */
static void rule_newest(const struct bench *bench)
{
    const struct cua_facts *facts = bench->facts;
    const struct cua_umd *newest = NULL;

    if (asks_for_cuda(bench) || asks(bench, CUA_FACT_NATIVE) || asks_for_replacements(bench))
        return;
    if (facts->by_name && !facts->bound)
        newest = best_tried(bench, CUA_GRADE_DECLARED, gives_more);
    if (bench->verdict->next)
        return;
    bench->verdict->trials = 0;
    if (newest)
        choose(bench, newest, CUA_WORKS_YES, CUA_REASON_POLICY_NEWEST);
    else
        rule_auto(bench);
}

/* What the policy names, whatever the rules make of it. */
static void take(const struct bench *bench, const struct cua_umd *umd, enum cua_reason reason)
{
    struct cua_fate fate;

    cua_fate(&fate, bench->facts, umd, false);
    if (!asks(bench, fate.ask) && !asks_for_cuda(bench))
        choose(bench, umd, fate.works, reason);
}

static void rule_host(const struct bench *bench)
{
    if (asks(bench, CUA_FACT_NATIVE) || asks_for_cuda(bench))
        return;
    if (bench->facts->native)
        choose(bench, bench->facts->native, CUA_WORKS_YES, CUA_REASON_POLICY_HOST);
    else
        rule_auto(bench);
}

/* The newest newer one; on Tegra every version is 1.1. */
static void rule_compat(const struct bench *bench)
{
    const struct cua_facts *facts = bench->facts;
    const struct cua_umd *newest = NULL;

    if (asks_for_replacements(bench) ||
        (facts->loader && facts->loader->version_doubtful && asks(bench, CUA_FACT_NATIVE)))
        return;
    for (const struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next)
        if ((umd->trusted || umd == facts->loader) && cua_is_newer(facts, umd) &&
            (!newest || (cua_version_compare(&umd->version, &newest->version)
                             ?: (int)umd->cuda - (int)newest->cuda
                             ?: strcmp(newest->path, umd->path)) > 0))
            newest = umd;
    if (newest)
        take(bench, newest, CUA_REASON_POLICY_COMPAT);
    else
        rule_auto(bench);
}

/* CUARBITER_LIBCUDA; NULL: none, or it cannot be loaded. */
static const struct cua_umd *named_of(const struct cua_facts *facts)
{
    const struct cua_umd *named = facts->umds;

    while (named && !(named->found & CUA_FOUND_NAMED))
        named = named->hh.next;
    return named && named->state != CUA_UMD_DAMAGED && named->state != CUA_UMD_ARCH &&
                   named->state != CUA_UMD_UNREADABLE
               ? named
               : NULL;
}

static void rule(const struct bench *bench)
{
    const struct cua_policy *policy = bench->policy;
    const struct cua_facts *facts = bench->facts;
    const struct cua_umd *named;

    if (policy->kind == CUA_POLICY_OFF || policy->disabled)
        choose(bench, NULL, CUA_WORKS_UNKNOWN, CUA_REASON_POLICY_OFF);
    else if (asks(bench, CUA_FACT_KMD) || asks(bench, CUA_FACT_LOADER))
        return;
    else if (policy->libcuda[0] && (named = named_of(facts)))
        take(bench, named, CUA_REASON_POLICY_FILE);
    else if (facts->loader && facts->loader->state == CUA_UMD_FOREIGN)
        choose(bench, NULL, CUA_WORKS_UNKNOWN, CUA_REASON_FOREIGN);
    else if (facts->kmd.platform == CUA_PLATFORM_NONE)
        choose(bench, NULL, CUA_WORKS_NO, CUA_REASON_NO_DRIVER);
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
    const struct bench bench = {verdict, facts, policy};

    *verdict = (struct cua_verdict){.next = CUA_FACT_NOTHING};
    rule(&bench);
    for (int fact = 0; fact < CUA_FACTS; fact++)
        verdict->rests_on |= facts->asked[fact] ? 1u << fact : 0;
}
