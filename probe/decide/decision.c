/* SPDX-License-Identifier: Apache-2.0 */
/* Published by an atomic list: threads that ask at the same time may each make the same decision,
 * one wins. */
#include "decide/decision.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuarbiter/names.h"
#include "machine/log.h"
#include "machine/policy.h"
#include "machine/site.h"
#include "base/reasons.h"
#include "decide/loop.h"
#include "base/oldstat.h"
#include "rules/words.h"

/* A program that loads and unloads that many libraries with libcuda keeps what ld.so takes. */
#define MOST_DECISIONS 64
static _Atomic unsigned made;

static const struct cua_decision *_Atomic decided, *_Atomic looked;
static const struct cua_policy *_Atomic in_force;

static void free_decision(struct cua_decision *d)
{
    cua_facts_free(&d->facts);
    free(d);
}

const struct cua_policy *cua_policy_in_force(const struct cua_settings *settings)
{
    const struct cua_policy *known = atomic_load(&in_force);
    struct cua_policy *policy;

    if (known || !(policy = malloc(sizeof(*policy))))
        return known;
    cua_policy_read(policy, settings);
    cua_policy_check(policy, &cua_here);
    if (atomic_compare_exchange_strong(&in_force, &known, policy))
        return policy;
    free(policy);
    return known;
}

/* Another tool may use a variable of that name, so this is no warning. */
static void log_unknown(const struct cua_settings *settings)
{
    char name[64];

    for (size_t at = 0;
         cua_log_wanted(CUA_LOG_INFO) && cua_site_unknown(settings, &at, name, sizeof(name));)
        cua_log(CUA_LOG_INFO, "unknown-variable", "%s is set, but cuarbiter has no such variable",
                name);
}

/* The dry run says at the default level what auto would do, and in a log folder every process's
 * first decision is a line. */
static void log_verdict(const struct cua_decision *d)
{
    const struct cua_verdict *r = &d->verdict;
    const struct cua_umd *from = d->facts.loader, *to = r->chosen ? r->chosen : from;
    const struct cua_choice choice = {cua_reason_code(r->reason), from ? from->path : NULL,
                                      to ? to->path : NULL, cua_judge_code(&d->facts, from)};
    bool driver = d->facts.kmd.platform != CUA_PLATFORM_NONE;
    bool dry = d->policy->kind == CUA_POLICY_REPORT, first = driver && !d->next;
    enum cua_level level =
        driver && (dry || r->works == CUA_WORKS_NO) ? CUA_LOG_WARN : CUA_LOG_INFO;
    char sentence[1024] = "", answer[16] = "not known";
    struct cua_words words;
    size_t at = 0;

    if (!cua_log_wanted(level) && !(first && cua_log_collects()))
        return;
    cua_words(&words, r, &d->facts);
    if (choice.without >= 0)
        snprintf(answer, sizeof(answer), "%d", choice.without);
    if (dry && to != from)
        at = (size_t)snprintf(sentence, sizeof(sentence),
                              "auto would take %.200s instead of %.200s (cuInit: %s). ", to->path,
                              from ? from->path : "nothing", answer);
    else if (dry)
        at = (size_t)snprintf(sentence, sizeof(sentence), "auto would change nothing. ");
    snprintf(sentence + at, sizeof(sentence) - at, "%s%s%s", words.explanation,
             words.help[0] ? " " : "", words.help);
    cua_log_choice(level, dry ? "report" : choice.reason, sentence, first ? &choice : NULL);
}

static void log_decision(const struct cua_decision *d)
{
    const struct cua_policy *policy = d->policy;
    const struct cua_verdict *r = &d->verdict;

    if (policy->libcuda[0] && r->reason != CUA_REASON_POLICY_FILE && !policy->disabled &&
        policy->kind != CUA_POLICY_OFF)
        cua_log(CUA_LOG_WARN, "bad-libcuda", "%s=%s is ignored: it is not a usable libcuda",
                CUA_ENV_LIBCUDA, policy->libcuda);
    if (policy->kind == CUA_POLICY_HOST && r->kind == CUA_KIND_COMPAT &&
        r->reason != CUA_REASON_POLICY_FILE)
        cua_log(CUA_LOG_WARN, "policy-host",
                "%s=host, and no libcuda of the kernel driver's version is here: auto is used",
                CUA_ENV_POLICY);
    if (r->chosen && r->chosen->loads == CUA_LOADS_NO)
        cua_log(CUA_LOG_WARN, cua_reason_code(CUA_REASON_NOT_LOADABLE),
                "%s is taken because %s says so: it %s", r->chosen->path,
                r->reason == CUA_REASON_POLICY_FILE ? CUA_ENV_LIBCUDA : CUA_ENV_POLICY,
                r->chosen->obstacle);
    log_verdict(d);
}

static const struct cua_decision *find(const struct cua_umd_key *loader,
                                       const struct cua_request *request)
{
    const struct cua_decision *d = atomic_load(&decided);

    while (d && (memcmp(&d->loader, loader, sizeof(*loader)) != 0 ||
                 d->by_path != request->by_path || d->library != request->binder.library))
        d = d->next;
    return d;
}

/* Nothing decided yet; NULL: no memory. */
static struct cua_decision *begin(const struct cua_settings *settings)
{
    struct cua_decision *d = calloc(1, sizeof(*d));

    if (d && !(d->policy = cua_policy_in_force(settings))) {
        free(d);
        d = NULL;
    }
    return d;
}

const struct cua_decision *cua_decision(const struct cua_subject *subject,
                                        const struct cua_settings *settings,
                                        const struct cua_request *request)
{
    const char *loader = request->loader;
    struct cua_umd_key key = {0};
    const struct cua_decision *d;
    struct stat st;

    if (atomic_load(&decided) && loader[0] && cua_stat(loader, &st) == 0)
        key = cua_umd_key_of(&st);
    if ((d = find(&key, request)) || atomic_load(&made) >= MOST_DECISIONS)
        return d;
    struct cua_decision *mine = begin(settings);
    if (!mine)
        return NULL;
    cua_decide(&mine->facts, &mine->verdict, subject, settings, mine->policy, request);
    /* ld.so has a choice, but it could not be examined. */
    if (loader[0] && !mine->facts.loader && mine->facts.asked[CUA_FACT_LOADER]) {
        free_decision(mine);
        return NULL;
    }
    if (mine->facts.loader)
        key = mine->facts.loader->key;
    mine->loader = key;
    mine->by_path = request->by_path;
    mine->library = request->binder.library;
    mine->next = atomic_load(&decided);
    do {
        if ((d = find(&key, request))) {
            free_decision(mine);
            return d;
        }
    } while (!atomic_compare_exchange_strong(&decided, &mine->next, mine));
    atomic_fetch_add(&made, 1);
    log_unknown(settings);
    log_decision(mine);
    return mine;
}

const struct cua_decision *cua_decision_for(const char *file)
{
    const struct cua_decision *d = atomic_load(&decided);
    struct cua_umd_key key;
    struct stat st;

    if (!d || cua_stat(file, &st) != 0)
        return NULL;
    key = cua_umd_key_of(&st);
    while (d && (!d->verdict.chosen || memcmp(&d->verdict.chosen->key, &key, sizeof(key)) != 0))
        d = d->next;
    return d;
}

const struct cua_decision *cua_decision_native(const struct cua_subject *subject,
                                               const struct cua_settings *settings)
{
    static const struct cua_request request;
    const struct cua_decision *known = atomic_load(&looked);
    struct cua_decision *d;

    if (known || !(d = begin(settings)))
        return known;
    cua_gather(&d->facts, CUA_FACT_KMD, subject, d->policy, &request);
    cua_gather(&d->facts, CUA_FACT_NATIVE, subject, d->policy, &request);
    if (atomic_compare_exchange_strong(&looked, &known, d))
        return d;
    free_decision(d);
    return known;
}
