/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/rules.h"

#include <string.h>

#include "base/version.h"
#include "facts/native.h"

/* How a function ends: with a ruling (which may be the next fact), or with nothing for it. */
enum end { RULED, PASSED };

struct bench {
    struct cua_ruling *ruling;
    const struct cua_facts *facts;
    const struct cua_policy *policy;
    const struct cua_umd *loader; /* L */
};

/* True if the fact has to be asked for first; then that is the ruling. */
static bool asks(const struct bench *bench, enum cua_fact fact)
{
    if (fact == CUA_FACT_NOTHING || bench->facts->asked[fact])
        return false;
    bench->ruling->next = fact;
    return true;
}

static bool asks_all(const struct bench *bench, const enum cua_fact *facts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (asks(bench, facts[i]))
            return true;
    return false;
}

static void choose(const struct bench *bench, const struct cua_umd *umd, enum cua_works works,
                   enum cua_reason reason)
{
    struct cua_ruling *ruling = bench->ruling;

    ruling->chosen = umd;
    ruling->works = works;
    ruling->reason = reason;
    ruling->kind = !umd                               ? CUA_KIND_NONE
                   : cua_is_native(bench->facts, umd) ? CUA_KIND_NATIVE
                   : cua_is_newer(bench->facts, umd)  ? CUA_KIND_COMPAT
                                                      : CUA_KIND_OTHER;
    if (!umd || works == CUA_WORKS_NO)
        return;
    if (cua_serves(bench->facts, umd, false) == CUA_WORKS_NO)
        ruling->works = CUA_WORKS_NO;
    else if (cua_serves(bench->facts, umd, true) == CUA_WORKS_NO)
        ruling->works = CUA_WORKS_UNKNOWN;
    if (ruling->works != works)
        ruling->reason = CUA_REASON_RUNTIME_TOO_NEW;
}

/* What the helper is to be asked, and whether that is possible. */
static bool may_try(const struct bench *bench)
{
    return bench->policy->trial != CUA_TRIAL_NEVER && !bench->facts->gpus_none;
}

static void ask_trial(const struct bench *bench, const struct cua_umd *umd)
{
    bench->ruling->next = CUA_FACT_TRIAL;
    bench->ruling->trial[bench->ruling->trials++] = umd;
}

static bool is_takeable(const struct bench *bench, const struct cua_umd *umd)
{
    return umd != bench->loader && umd->trusted && umd->state == CUA_UMD_USABLE;
}

/* What a replacement is worth: the grade of a driver that works, GUESS for one that is open. NONE:
 * it fails, or is nobody's to take. A newer one under MPS replaces nothing: its server is the
 * native driver's. */
static enum cua_grade worth(const struct cua_facts *facts, const struct cua_umd *umd)
{
    struct cua_fate fate;

    cua_fate(&fate, facts, umd, true);
    if (fate.works == CUA_WORKS_NO || (facts->mps && cua_is_newer(facts, umd)))
        return CUA_GRADE_NONE;
    return fate.works == CUA_WORKS_YES ? fate.grade : CUA_GRADE_GUESS;
}

static int by(int a, int b)
{
    return (a > b) - (a < b);
}

/* A candidate, weighed once: its fate asks the tables, and it is compared with many. */
struct weighed {
    const struct cua_umd *umd;
    bool serves;
    enum cua_grade worth;
};

static struct weighed weigh(const struct cua_facts *facts, const struct cua_umd *umd)
{
    return (struct weighed){umd, cua_serves(facts, umd, true) == CUA_WORKS_YES, worth(facts, umd)};
}

static int compare(const struct weighed *one, const struct weighed *other)
{
    const struct cua_umd *a = one->umd, *b = other->umd;
    int order = by(one->serves, other->serves);

    if (!order)
        order = by((int)one->worth, (int)other->worth);
    if (!order)
        order = by(a->companions, b->companions);
    if (!order)
        order = by((int)a->cuda, (int)b->cuda);
    if (!order)
        order = cua_version_compare(&a->version, &b->version);
    return order ? order : strcmp(b->path, a->path);
}

int cua_rule_compare(const struct cua_facts *facts, const struct cua_umd *a,
                     const struct cua_umd *b)
{
    const struct weighed one = weigh(facts, a), other = weigh(facts, b);

    return compare(&one, &other);
}

/* The best replacement that is worth as much. `fit`: whether it may be taken; NULL: any. */
static const struct cua_umd *best_of(const struct bench *bench, enum cua_grade least,
                                     bool (*fit)(const struct cua_facts *facts,
                                                 const struct cua_umd *umd))
{
    struct weighed best = {NULL, false, CUA_GRADE_NONE}; /* less than whatever is taken */

    for (const struct cua_umd *umd = bench->facts->umds; umd; umd = umd->hh.next) {
        if (!is_takeable(bench, umd) || (fit && !fit(bench->facts, umd)))
            continue;
        const struct weighed one = weigh(bench->facts, umd);
        if (one.worth >= least && compare(&one, &best) > 0)
            best = one;
    }
    return best.umd;
}

/* Of the open ones, which a trial may tell, the best that answers 0; RULED where they have to be
 * tried first. The best few are tried, in one run. */
static enum end best_tried(const struct bench *bench,
                           bool (*fit)(const struct cua_facts *facts, const struct cua_umd *umd),
                           const struct cua_umd **best)
{
    struct weighed list[CUA_TRIALS_MOST];
    unsigned count = 0;
    bool untried = false;

    *best = NULL;
    for (const struct cua_umd *umd = bench->facts->umds; umd; umd = umd->hh.next) {
        unsigned at = count;
        if (!is_takeable(bench, umd) || !fit(bench->facts, umd))
            continue;
        const struct weighed one = weigh(bench->facts, umd);
        if (one.worth == CUA_GRADE_NONE)
            continue;
        while (at > 0 && compare(&one, &list[at - 1]) > 0)
            at--;
        if (at == CUA_TRIALS_MOST)
            continue;
        count += count < CUA_TRIALS_MOST;
        memmove(list + at + 1, list + at, (count - at - 1) * sizeof(*list));
        list[at] = one;
    }
    if (count == 0)
        return PASSED;
    if (may_try(bench) && asks(bench, CUA_FACT_MPS))
        return RULED;
    if (!may_try(bench) || bench->facts->mps) {
        bench->ruling->untried = true;
        return PASSED;
    }
    for (unsigned i = 0; i < count; i++)
        untried |= list[i].umd->tried == CUA_TRIAL_NONE;
    if (untried) {
        for (unsigned i = 0; i < count; i++)
            ask_trial(bench, list[i].umd);
        return RULED;
    }
    for (unsigned i = 0; i < count && !*best; i++)
        if (list[i].umd->tried == CUA_TRIAL_ANSWERED && list[i].umd->trial_code == 0)
            *best = list[i].umd;
    return PASSED;
}

static bool serves(const struct cua_facts *facts, const struct cua_umd *umd)
{
    return cua_serves(facts, umd, true) != CUA_WORKS_NO;
}

static bool surely_serves(const struct cua_facts *facts, const struct cua_umd *umd)
{
    return cua_serves(facts, umd, false) == CUA_WORKS_YES;
}

/* Asks for all that a replacement is weighed by, as far as there is one to weigh. */
static bool asks_for_replacements(const struct bench *bench)
{
    static const enum cua_fact cheap[] = {CUA_FACT_TOOLKIT, CUA_FACT_TABLES, CUA_FACT_UMDS};
    static const enum cua_fact dear[] = {CUA_FACT_GPUS, CUA_FACT_MPS};

    if (asks_all(bench, cheap, 3))
        return true;
    for (const struct cua_umd *umd = bench->facts->umds; umd; umd = umd->hh.next)
        if (is_takeable(bench, umd) && cua_is_newer(bench->facts, umd))
            return asks_all(bench, dear, 2);
    return false;
}

/* What a runtime mounted, or what has the module's own branch, is the host's; a newer one there
 * means that the host's files were upgraded under a loaded module. */
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
    bool usable = false, open = false;

    for (const struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next) {
        usable |= umd->state == CUA_UMD_USABLE && (umd->trusted || umd == facts->loader);
        open |= is_takeable(bench, umd) && worth(facts, umd) != CUA_GRADE_NONE;
    }
    if (!usable)
        choose(bench, NULL, CUA_WORKS_NO, CUA_REASON_NO_UMD);
    else if (host_was_upgraded(facts))
        choose(bench, NULL, open ? CUA_WORKS_UNKNOWN : CUA_WORKS_NO, CUA_REASON_MODULE_STALE);
    else if (facts->kmd.platform == CUA_PLATFORM_LINUX && !cua_version_known(&facts->kmd.version))
        choose(bench, NULL, CUA_WORKS_UNKNOWN, CUA_REASON_KMD_UNKNOWN);
    else
        choose(bench, NULL, open ? CUA_WORKS_UNKNOWN : CUA_WORKS_NO,
               open ? CUA_REASON_UNDECIDED : CUA_REASON_NO_NATIVE);
}

/* Row 3: the loader's choice fails, or there is none. `tried`: it failed in a trial alone, which is
 * of the moment. */
static void rule_failing(const struct bench *bench, bool tried)
{
    const struct cua_facts *facts = bench->facts;
    const struct cua_umd *best, *native;

    if (asks(bench, CUA_FACT_NATIVE) || asks(bench, CUA_FACT_TOOLKIT))
        return;
    native = facts->native;
    if (facts->toolkit.cuda && asks(bench, CUA_FACT_TABLES))
        return;
    if (native && serves(facts, native)) {
        choose(bench, native, CUA_WORKS_YES, CUA_REASON_NATIVE);
        return;
    }
    if (asks_for_replacements(bench))
        return;
    best = best_of(bench, CUA_GRADE_DECLARED, serves);
    if (best) {
        choose(bench, best, CUA_WORKS_YES, CUA_REASON_NEWER_CERTAIN);
        return;
    }
    if (best_tried(bench, serves, &best) == RULED)
        return;
    if (best)
        choose(bench, best, CUA_WORKS_YES, CUA_REASON_NEWER_TRIED);
    else if (native && tried && cua_serves(facts, native, false) == CUA_WORKS_NO)
        choose(bench, bench->loader, CUA_WORKS_NO, CUA_REASON_TRIAL_FAILED);
    else if (native)
        choose(bench, native, CUA_WORKS_YES, CUA_REASON_NATIVE);
    else if ((best = best_of(bench, CUA_GRADE_DECLARED, NULL)))
        choose(bench, best, CUA_WORKS_YES, CUA_REASON_NEWER_CERTAIN);
    else
        nothing_works(bench);
}

/* Row 4: the program's own runtime answers 35 on the loader's choice. What is only declared to work
 * has to be tried: a mapped runtime is not always the one that the program calls. */
static void rule_not_serving(const struct bench *bench, const struct cua_fate *fate)
{
    const struct cua_umd *best;

    if (asks(bench, CUA_FACT_NATIVE) || asks_for_replacements(bench))
        return;
    best = best_of(bench, CUA_GRADE_MEASURED, surely_serves);
    if (best) {
        choose(bench, best, CUA_WORKS_YES,
               best == bench->facts->native ? CUA_REASON_NATIVE : CUA_REASON_NEWER_CERTAIN);
        return;
    }
    if (best_tried(bench, surely_serves, &best) == RULED)
        return;
    if (best)
        choose(bench, best, CUA_WORKS_YES, CUA_REASON_NEWER_TRIED);
    else
        choose(bench, bench->loader, fate->works, CUA_REASON_RUNTIME_TOO_NEW);
}

static bool is_sure_replacement(const struct cua_facts *facts, const struct cua_umd *umd)
{
    return umd->companions && cua_serves(facts, umd, true) == CUA_WORKS_YES;
}

/* The exception of row 2: the image's word, a later major than native's CUDA, and a bundled compat
 * that works by its own note or a measured run on every GPU, hidden ones too. */
static enum end rule_hint(const struct bench *bench)
{
    const struct cua_facts *facts = bench->facts;
    const struct cua_umd *best;

    if (!facts->by_name || facts->bound || facts->kmd.platform != CUA_PLATFORM_LINUX)
        return PASSED;
    /* A runtime's word was heard before: what speaks against it here is the hint. */
    if (serves(facts, bench->loader))
        return PASSED;
    if (asks(bench, CUA_FACT_NATIVE) || asks_for_replacements(bench))
        return RULED;
    best = best_of(bench, CUA_GRADE_MEASURED, is_sure_replacement);
    if (!best)
        return PASSED;
    choose(bench, best, CUA_WORKS_YES, CUA_REASON_NEWER_CERTAIN);
    return RULED;
}

/* Row 5: the loader's choice is open. It is tried where something else could be taken. */
static void rule_open(const struct bench *bench, const struct cua_fate *fate)
{
    const struct cua_facts *facts = bench->facts;
    const struct cua_umd *loader = bench->loader;
    enum cua_reason open =
        fate->reason == CUA_REASON_KMD_MISSING ? CUA_REASON_KMD_UNKNOWN : CUA_REASON_UNDECIDED;
    bool other = false;

    if (asks(bench, CUA_FACT_NATIVE))
        return;
    if (!facts->native) {
        if (asks_for_replacements(bench))
            return;
        open = host_was_upgraded(facts) ? CUA_REASON_MODULE_STALE : open;
        for (const struct cua_umd *umd = facts->umds; umd && !other; umd = umd->hh.next)
            other = is_takeable(bench, umd) && worth(facts, umd) != CUA_GRADE_NONE;
    }
    other |= facts->native != NULL;
    if (other && may_try(bench) && asks(bench, CUA_FACT_MPS))
        return;
    bench->ruling->untried = other && (facts->mps || !may_try(bench));
    if (!other || bench->ruling->untried)
        choose(bench, loader, CUA_WORKS_UNKNOWN, open);
    else if (loader->tried == CUA_TRIAL_NONE)
        ask_trial(bench, loader);
    else if (cua_trial_fails(facts, loader))
        rule_failing(bench, true);
    else if (loader->tried == CUA_TRIAL_ANSWERED && loader->trial_code == 0)
        choose(bench, loader, CUA_WORKS_YES, CUA_REASON_KEPT_TRIED);
    else
        choose(bench, loader, CUA_WORKS_UNKNOWN, open);
}

static void rule_auto(const struct bench *bench)
{
    const struct cua_facts *facts = bench->facts;
    const struct cua_umd *loader = bench->loader;
    struct cua_fate fate;

    if (!loader) {
        rule_failing(bench, false);
        return;
    }
    cua_fate(&fate, facts, loader, false);
    if (asks(bench, fate.ask))
        return;
    if (fate.works == CUA_WORKS_NO) {
        rule_failing(bench, false);
        return;
    }
    if (asks(bench, CUA_FACT_TOOLKIT) || (facts->toolkit.cuda && asks(bench, CUA_FACT_TABLES)))
        return;
    if (cua_serves(facts, loader, false) == CUA_WORKS_NO)
        rule_not_serving(bench, &fate);
    else if (fate.works == CUA_WORKS_UNKNOWN)
        rule_open(bench, &fate);
    else if (fate.reason != CUA_REASON_NATIVE)
        choose(bench, loader, CUA_WORKS_YES, CUA_REASON_KEPT);
    else if (rule_hint(bench) == PASSED)
        choose(bench, loader, CUA_WORKS_YES, CUA_REASON_NATIVE);
}

static enum end rule_host(const struct bench *bench)
{
    if (asks(bench, CUA_FACT_NATIVE) || asks(bench, CUA_FACT_TOOLKIT) ||
        (bench->facts->toolkit.cuda && asks(bench, CUA_FACT_TABLES)))
        return RULED;
    if (!bench->facts->native)
        return PASSED;
    choose(bench, bench->facts->native, CUA_WORKS_YES, CUA_REASON_POLICY_HOST);
    return RULED;
}

/* The newest newer one, whatever the rules say. */
static enum end rule_compat(const struct bench *bench)
{
    const struct cua_facts *facts = bench->facts;
    const struct cua_umd *newest = NULL;
    struct cua_fate fate;

    if (asks_for_replacements(bench) ||
        (bench->loader && bench->loader->version_doubtful && asks(bench, CUA_FACT_NATIVE)))
        return RULED;
    for (const struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next) {
        int order = newest ? cua_version_compare(&umd->version, &newest->version) : 1;
        if (order == 0) /* Tegra: every version is 1.1 */
            order = by((int)umd->cuda, (int)newest->cuda);
        if ((umd->trusted || umd == bench->loader) && cua_is_newer(facts, umd) &&
            (order > 0 || (order == 0 && strcmp(umd->path, newest->path) < 0)))
            newest = umd;
    }
    if (!newest)
        return PASSED;
    cua_fate(&fate, facts, newest, false);
    if (asks(bench, fate.ask))
        return RULED;
    choose(bench, newest, fate.works, CUA_REASON_POLICY_COMPAT);
    bench->ruling->forced_warning = fate.works == CUA_WORKS_NO;
    return RULED;
}

/* CUARBITER_LIBCUDA. */
static enum end rule_file(const struct bench *bench)
{
    const struct cua_umd *named = NULL;
    struct cua_fate fate;

    for (const struct cua_umd *umd = bench->facts->umds; umd; umd = umd->hh.next)
        if ((umd->found & CUA_FOUND_NAMED) && (!named || strcmp(umd->path, named->path) < 0))
            named = umd;
    if (!named || named->state == CUA_UMD_DAMAGED || named->state == CUA_UMD_ARCH ||
        named->state == CUA_UMD_UNREADABLE)
        return PASSED;
    cua_fate(&fate, bench->facts, named, false);
    if (asks(bench, fate.ask) || asks(bench, CUA_FACT_TOOLKIT) ||
        (bench->facts->toolkit.cuda && asks(bench, CUA_FACT_TABLES)))
        return RULED;
    choose(bench, named, fate.works, CUA_REASON_POLICY_FILE);
    return RULED;
}

static void rule(const struct bench *bench)
{
    const struct cua_policy *policy = bench->policy;

    if (policy->kind == CUA_POLICY_OFF || policy->disabled) {
        choose(bench, NULL, CUA_WORKS_UNKNOWN, CUA_REASON_POLICY_OFF);
        return;
    }
    if (asks(bench, CUA_FACT_KMD) || asks(bench, CUA_FACT_LOADER) ||
        (policy->libcuda[0] && rule_file(bench) == RULED))
        return;
    if (bench->loader && bench->loader->state == CUA_UMD_FOREIGN)
        choose(bench, NULL, CUA_WORKS_UNKNOWN, CUA_REASON_FOREIGN);
    else if (bench->facts->kmd.platform == CUA_PLATFORM_NONE)
        choose(bench, NULL, CUA_WORKS_NO, CUA_REASON_NO_DRIVER);
    else if (!(policy->kind == CUA_POLICY_HOST && rule_host(bench) == RULED) &&
             !(policy->kind == CUA_POLICY_COMPAT && rule_compat(bench) == RULED))
        rule_auto(bench);
}

void cua_rule(struct cua_ruling *ruling, const struct cua_facts *facts,
              const struct cua_policy *policy)
{
    struct bench bench = {ruling, facts, policy, facts->loader};

    *ruling = (struct cua_ruling){.next = CUA_FACT_NOTHING};
    rule(&bench);
    for (int fact = 0; fact < CUA_FACTS; fact++)
        ruling->rests_on |= facts->asked[fact] ? 1u << fact : 0;
}
