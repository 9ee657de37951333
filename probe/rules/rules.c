/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/rules.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tables/tables.h"
#include "rules/weigh.h"
#include "rules/newer.h"
#include "rules/words.h"

struct bench {
    const struct cua_facts *facts;
    const struct cua_policy *policy;
    struct cua_weight *weights;
    size_t count;
    const struct cua_umd *native;
};

static void weigh_all(struct bench *bench)
{
    bool named = bench->policy->libcuda[0] != '\0';

    for (size_t i = 0; i < bench->count; i++) {
        struct cua_weight *weight = &bench->weights[i];
        cua_weigh(weight, bench->facts, named && (weight->umd->found & CUA_FOUND_NAMED));
        if (weight->class == CUA_CLASS_NATIVE &&
            (!bench->native || cua_native_compare(weight->umd, bench->native) > 0))
            bench->native = weight->umd;
    }
    for (size_t i = 0; i < bench->count; i++)
        if (bench->weights[i].class == CUA_CLASS_NEWER)
            cua_weigh_newer(&bench->weights[i], bench->facts, bench->native);
}

/* Whether CUDA grows from a to b; where it is not known, whether the branch does. */
static bool higher(const struct cua_umd *a, const struct cua_umd *b)
{
    return a->cuda && b->cuda ? b->cuda > a->cuda : b->version.part[0] > a->version.part[0];
}

/* Whether a newer UMD that may work has anything over native; if not, says so as its reason. */
static bool wanted(const struct bench *bench, struct cua_weight *weight)
{
    const struct cua_umd *native = bench->native, *umd = weight->umd;
    const struct cua_row_toolkit *row;
    unsigned toolkit = bench->facts->toolkit.cuda;
    enum cua_reason reason;

    if (weight->class != CUA_CLASS_NEWER || weight->fit == CUA_FIT_NO)
        return false;
    if (!native)
        return true;
    if (bench->policy->kind == CUA_POLICY_HOST)
        reason = CUA_REASON_NEWER_HOST;
    else if (!higher(native, umd))
        reason = CUA_REASON_NEWER_SAME_CUDA;
    else if (toolkit && native->cuda && toolkit <= native->cuda)
        reason = CUA_REASON_NEWER_NOT_NEEDED;
    else if (!cua_runs(bench->facts, umd, &row))
        reason = CUA_REASON_RUNTIME_TOO_NEW;
    else
        return true;
    weight->reason = reason;
    return false;
}

/* An ordinary driver's newer libcuda was never seen to work: it is worth a trial only where native
 * will not do. */
static bool worth_asking(const struct bench *bench, const struct cua_weight *weight)
{
    const struct cua_row_toolkit *row;

    return weight->reason != CUA_REASON_NEWER_ORDINARY || !bench->native ||
           bench->policy->trial == CUA_TRIAL_ALWAYS || !cua_runs(bench->facts, bench->native, &row);
}

/* The newest of those that are wanted and certain, and the newest of those that are still open. */
static void look_for(const struct bench *bench, const struct cua_weight **best,
                     const struct cua_weight **open)
{
    bool always = bench->policy->trial == CUA_TRIAL_ALWAYS;

    *best = *open = NULL;
    for (size_t i = 0; i < bench->count; i++) {
        struct cua_weight *weight = &bench->weights[i];
        if (!wanted(bench, weight) || weight->spent || !worth_asking(bench, weight))
            continue;
        bool certain = weight->fit == CUA_FIT_YES && (!always || weight->tried);
        const struct cua_weight **place = certain ? best : open;
        if (!*place || cua_newer_compare(weight->umd, (*place)->umd) > 0)
            *place = weight;
    }
}

static void choose(struct cua_verdict *verdict, const struct bench *bench,
                   const struct cua_umd *umd, enum cua_kind kind, enum cua_reason reason)
{
    const struct cua_row_toolkit *row;

    verdict->chosen = umd;
    verdict->kind = kind;
    verdict->works = CUA_WORKS_YES;
    verdict->reason = reason;
    if (!cua_runs(bench->facts, umd, &row)) {
        verdict->works = CUA_WORKS_NO;
        verdict->reason = CUA_REASON_RUNTIME_TOO_NEW;
    }
}

static void choose_none(struct cua_verdict *verdict, enum cua_works works, enum cua_reason reason)
{
    verdict->works = works;
    verdict->reason = reason;
}

/* What a runtime mounted, or what has the module's own branch, is the host's; a newer one there
 * means that the host's files were upgraded under a loaded module. */
static bool host_was_upgraded(const struct bench *bench)
{
    for (size_t i = 0; i < bench->count; i++) {
        const struct cua_weight *weight = &bench->weights[i];
        const struct cua_umd *umd = weight->umd;
        if (weight->class == CUA_CLASS_NEWER && !(umd->found & CUA_FOUND_COMPAT) &&
            (umd->found & CUA_FOUND_MOUNT ||
             (umd->found & (CUA_FOUND_DEFAULT | CUA_FOUND_CACHE) &&
              umd->version.part[0] == bench->facts->kmd.version.part[0])))
            return true;
    }
    return false;
}

static void nothing_works(struct cua_verdict *verdict, const struct bench *bench)
{
    const struct cua_kmd *kmd = &bench->facts->kmd;
    bool usable = false, open = false;

    for (size_t i = 0; i < bench->count; i++) {
        const struct cua_weight *weight = &bench->weights[i];
        usable |= weight->class != CUA_CLASS_UNUSABLE;
        open |= weight->class == CUA_CLASS_UNKNOWN ||
                (weight->class == CUA_CLASS_NEWER && weight->fit != CUA_FIT_NO);
    }
    if (kmd->platform == CUA_PLATFORM_LINUX && !cua_version_known(&kmd->version))
        choose_none(verdict, CUA_WORKS_UNKNOWN, CUA_REASON_KMD_UNKNOWN);
    else if (!usable)
        choose_none(verdict, CUA_WORKS_NO, CUA_REASON_NO_UMD);
    else if (host_was_upgraded(bench))
        choose_none(verdict, open ? CUA_WORKS_UNKNOWN : CUA_WORKS_NO, CUA_REASON_MODULE_STALE);
    else if (open)
        choose_none(verdict, CUA_WORKS_UNKNOWN, CUA_REASON_UNDECIDED);
    else
        choose_none(verdict, CUA_WORKS_NO, CUA_REASON_NO_NATIVE);
}

/* Whether a newer one was passed over only because the program does not need it. */
static bool another_would_do(const struct bench *bench)
{
    for (size_t i = 0; i < bench->count; i++)
        if (bench->weights[i].reason == CUA_REASON_NEWER_NOT_NEEDED &&
            bench->weights[i].fit == CUA_FIT_YES)
            return true;
    return false;
}

static void decide_auto(struct cua_verdict *verdict, const struct bench *bench)
{
    const struct cua_weight *best, *open;
    enum cua_reason native =
        bench->policy->kind == CUA_POLICY_HOST ? CUA_REASON_POLICY_HOST : CUA_REASON_NATIVE;

    look_for(bench, &best, &open);
    if (best) {
        choose(verdict, bench, best->umd, CUA_KIND_COMPAT, best->reason);
        return;
    }
    if (native == CUA_REASON_NATIVE && another_would_do(bench))
        native = CUA_REASON_NATIVE_ENOUGH;
    if (bench->native)
        choose(verdict, bench, bench->native, CUA_KIND_NATIVE, native);
    else
        nothing_works(verdict, bench);
    if (!open)
        return;
    if (open->hardware && !bench->facts->nvml_asked) {
        verdict->want = CUA_WANT_NVML;
    } else if (bench->policy->trial == CUA_TRIAL_ALWAYS ||
               (bench->policy->trial == CUA_TRIAL_AUTO && !bench->facts->gpus_none)) {
        verdict->want = CUA_WANT_TRIAL;
        verdict->trial = open->umd;
    }
}

static void works_as_weighed(struct cua_verdict *verdict, const struct cua_weight *weight)
{
    bool impossible =
        weight->class == CUA_CLASS_OLDER ||
        (weight->class == CUA_CLASS_NEWER && weight->fit == CUA_FIT_NO) ||
        (weight->class == CUA_CLASS_UNUSABLE && weight->reason != CUA_REASON_NO_DRIVER &&
         weight->reason != CUA_REASON_FOREIGN);
    bool open = weight->class == CUA_CLASS_UNKNOWN || weight->class == CUA_CLASS_UNUSABLE ||
                (weight->class == CUA_CLASS_NEWER && weight->fit == CUA_FIT_OPEN);

    if (verdict->works != CUA_WORKS_NO && (impossible || open))
        verdict->works = impossible ? CUA_WORKS_NO : CUA_WORKS_UNKNOWN;
}

/* Policy compat: the newest newer one, whatever the rules say. False if there is none. */
static bool decide_compat(struct cua_verdict *verdict, const struct bench *bench)
{
    const struct cua_weight *newest = NULL;

    for (size_t i = 0; i < bench->count; i++)
        if (bench->weights[i].class == CUA_CLASS_NEWER &&
            (!newest || cua_newer_compare(bench->weights[i].umd, newest->umd) > 0))
            newest = &bench->weights[i];
    if (!newest)
        return false;
    choose(verdict, bench, newest->umd, CUA_KIND_COMPAT, CUA_REASON_POLICY_COMPAT);
    works_as_weighed(verdict, newest);
    verdict->forced_warning = newest->fit == CUA_FIT_NO;
    if (newest->fit == CUA_FIT_OPEN && newest->hardware && !bench->facts->nvml_asked)
        verdict->want = CUA_WANT_NVML; /* to warn or not to warn */
    return true;
}

static bool can_be_opened(const struct cua_umd *umd)
{
    return umd->state != CUA_UMD_DAMAGED && umd->state != CUA_UMD_ARCH &&
           umd->state != CUA_UMD_UNREADABLE;
}

/* CUARBITER_LIBCUDA. False if the file is not among the candidates or cannot be opened. */
static bool decide_file(struct cua_verdict *verdict, const struct bench *bench)
{
    const struct cua_weight *named = NULL;

    if (!bench->policy->libcuda[0])
        return false;
    for (size_t i = 0; i < bench->count; i++)
        if ((bench->weights[i].umd->found & CUA_FOUND_NAMED) &&
            (!named || strcmp(bench->weights[i].umd->path, named->umd->path) < 0))
            named = &bench->weights[i];
    if (!named || !can_be_opened(named->umd))
        return false;
    choose(verdict, bench, named->umd,
           named->class == CUA_CLASS_NATIVE  ? CUA_KIND_NATIVE
           : named->class == CUA_CLASS_NEWER ? CUA_KIND_COMPAT
                                             : CUA_KIND_OTHER,
           CUA_REASON_POLICY_FILE);
    works_as_weighed(verdict, named);
    return true;
}

static void decide(struct cua_verdict *verdict, const struct bench *bench)
{
    if (bench->policy->kind == CUA_POLICY_OFF || bench->policy->disabled)
        choose_none(verdict, CUA_WORKS_UNKNOWN, CUA_REASON_POLICY_OFF);
    else if (decide_file(verdict, bench))
        return;
    else if (bench->facts->foreign)
        choose_none(verdict, CUA_WORKS_UNKNOWN, CUA_REASON_FOREIGN);
    else if (bench->facts->kmd.platform == CUA_PLATFORM_NONE)
        choose_none(verdict, CUA_WORKS_NO, CUA_REASON_NO_DRIVER);
    else if (bench->policy->kind != CUA_POLICY_COMPAT || !decide_compat(verdict, bench))
        decide_auto(verdict, bench);
}

static void tell_without(struct cua_verdict *verdict, const struct bench *bench)
{
    verdict->without_code = -1;
    for (size_t i = 0; i < bench->count; i++) {
        const struct cua_weight *weight = &bench->weights[i];
        if (!weight->umd->loader_default ||
            (verdict->without && strcmp(weight->umd->path, verdict->without->path) > 0))
            continue;
        verdict->without = weight->umd;
        verdict->without_code =
            weight->umd->tried == CUA_TRIAL_ANSWERED ? weight->umd->trial_code : weight->code;
    }
}

int cua_rules_judge(struct cua_verdict *verdict, const struct cua_facts *facts,
                    const struct cua_policy *policy)
{
    struct bench bench = {.facts = facts, .policy = policy};
    int rc = -ENOMEM;

    *verdict = (struct cua_verdict){.without_code = -1};
    bench.count = HASH_COUNT(facts->umds);
    bench.weights = calloc(bench.count + 1, sizeof(*bench.weights));
    verdict->judgements = calloc(bench.count + 1, sizeof(*verdict->judgements));
    if (!bench.weights || !verdict->judgements)
        goto out;
    verdict->judgement_count = bench.count;
    const struct cua_umd *umd = facts->umds;
    for (size_t i = 0; i < bench.count; i++, umd = umd->hh.next) {
        verdict->judgements[i].umd = bench.weights[i].umd = umd;
        bench.weights[i].detail = verdict->judgements[i].detail;
    }

    weigh_all(&bench);
    decide(verdict, &bench);
    tell_without(verdict, &bench);
    for (size_t i = 0; i < bench.count; i++)
        verdict->judgements[i].reason = bench.weights[i].reason;
    cua_verdict_text(verdict, facts, bench.native);
    rc = 0;
out:
    if (rc)
        cua_verdict_free(verdict);
    free(bench.weights);
    return rc;
}

void cua_verdict_free(struct cua_verdict *verdict)
{
    free(verdict->judgements);
    verdict->judgements = NULL;
    verdict->judgement_count = 0;
}
