/* SPDX-License-Identifier: Apache-2.0 */
/* Makes decisions, and repeats those of earlier answerers (the processes that answered the
 * program's earlier questions). A file that an earlier answerer chose stays chosen, unless it is
 * gone. The rules run even for a repeated decision, because they find out which facts must be
 * gathered. The verdict is what the rules decide: which libcuda is chosen, and why
 * (rules/verdict.h). */
#include "decide/decision.h"

#include <inttypes.h>
#include <limits.h>
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
#include "rules/fate.h"
#include "rules/words.h"

/* Limit for decisions. Beyond it, requests get what ld.so takes. Only a program that keeps loading
 * and unloading different libraries that need libcuda reaches it. */
#define MOST_DECISIONS 64
static unsigned made;

static struct cua_decision *decided;
static struct cua_policy *in_force;

/* A decision of an earlier answerer, as the shim has sent it back. */
struct recalled {
    struct cua_umd_key loader;
    bool by_path;
    uint64_t library;      /* hash of the library's name; 0: none */
    char chosen[PATH_MAX]; /* path of the chosen file; "": none was chosen */
    struct recalled *next;
};
static struct recalled *recalled;

static void free_decision(struct cua_decision *d)
{
    cua_facts_free(&d->facts);
    free(d);
}

const struct cua_policy *cua_policy_in_force(const struct cua_settings *settings)
{
    if (in_force || !(in_force = malloc(sizeof(*in_force))))
        return in_force;
    cua_policy_read(in_force, settings);
    cua_policy_check(in_force, &cua_here);
    return in_force;
}

/* Logs unknown CUARBITER_* variables at the level info: another tool may use such a name, so it is
 * no reason for a warning. */
static void log_unknown(const struct cua_settings *settings)
{
    char name[64];

    for (size_t at = 0;
         cua_log_wanted(CUA_LOG_INFO) && cua_site_unknown(settings, &at, name, sizeof(name));)
        cua_log(CUA_LOG_INFO, "unknown-variable", "%s is set, but cuarbiter has no such variable",
                name);
}

/* Joins the models of the visible GPUs by "; ", each model once. */
static void join_models(const struct cua_facts *facts, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < facts->gpu_count; i++) {
        const struct cua_gpu *gpu = &facts->gpus[i];
        size_t k = 0;
        while (k < i && (!facts->gpus[k].visible || strcmp(facts->gpus[k].model, gpu->model) != 0))
            k++;
        if (gpu->visible && k == i && gpu->model[0] && strlen(text) + sizeof(gpu->model) < size) {
            cua_append(text, size, text[0] ? "; " : "");
            cua_append(text, size, gpu->model);
        }
    }
}

/* Writes what the policy `auto` would do, with room left for 2000 bytes. `without`: what cuInit of
 * `from` answers; -1: not known. Returns the length. */
static size_t describe_dry(char *text, size_t size, const struct cua_umd *from,
                           const struct cua_umd *to, int without)
{
    char answer[48] = "";

    if (to == from)
        return (size_t)snprintf(text, size, "the policy auto would change nothing. ");
    if (without >= 0)
        snprintf(answer, sizeof(answer), ", whose cuInit answers %d", without);
    return (size_t)snprintf(text, size, "the policy auto would take %.1000s instead of %.1000s%s. ",
                            to->path, from ? from->path : "nothing", answer);
}

/* Logs the verdict. If there is a kernel driver, the level is warning (shown by default) in two
 * cases: the driver in use does not work, or the policy is `report`. In all other cases the level
 * is info. Under `report` the line says what the policy `auto` would do.
 *
 * If decisions are collected (cua_log_collects), the first one of each process on a machine with a
 * kernel driver is collected, whatever the log's level. */
static void log_verdict(const struct cua_decision *d)
{
    const struct cua_verdict *r = &d->verdict;
    const struct cua_umd *from = d->facts.loader, *to = r->chosen ? r->chosen : from;
    char cuda[12], gpus[512];
    struct cua_choice choice = {cua_reason_code(r->reason),
                                from ? from->path : NULL,
                                to ? to->path : NULL,
                                cua_judge_code(&d->facts, from),
                                NULL,
                                NULL,
                                NULL};
    bool driver = d->facts.kmd.platform != CUA_PLATFORM_NONE;
    bool dry = d->policy->kind == CUA_POLICY_REPORT, first = driver && !d->next && !recalled;
    enum cua_level level =
        driver && (dry || r->works == CUA_WORKS_NO) ? CUA_LOG_WARN : CUA_LOG_INFO;
    char sentence[4096] = "";
    struct cua_words words;
    size_t at = 0;

    if (!cua_log_wanted(level) && !(first && cua_log_collects()))
        return;
    cua_words(&words, r, &d->facts);
    if (r->reason == CUA_REASON_RUNTIME_TOO_NEW) {
        join_models(&d->facts, gpus, sizeof(gpus));
        choice.cuda = cua_cuda_text(d->facts.toolkit.cuda, cuda);
        choice.kmd = d->facts.kmd.version.text;
        choice.gpus = gpus[0] ? gpus : NULL;
    }
    if (dry)
        at = describe_dry(sentence, sizeof(sentence), from, to, choice.without);
    at += (size_t)snprintf(sentence + at, sizeof(sentence) - at, "%s%s%s", words.explanation,
                           words.help[0] ? " " : "", words.help);
    if (d->minor && at < sizeof(sentence))
        snprintf(sentence + at, sizeof(sentence) - at,
                 " With CUARBITER_MINOR=yes cuarbiter would take %.40s, if its cuInit works in a "
                 "child process.",
                 d->minor->version.text);
    cua_log_choice(level, dry ? "report" : choice.reason, sentence, first ? &choice : NULL);
}

/* Why the file that CUARBITER_LIBCUDA names is not used. */
static const char *why_unusable(const struct cua_facts *facts)
{
    for (const struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next)
        if (umd->found & CUA_FOUND_NAMED && umd->trouble[0])
            return umd->trouble;
    return "it is not a usable libcuda";
}

static void log_decision(const struct cua_decision *d)
{
    const struct cua_policy *policy = d->policy;
    const struct cua_verdict *r = &d->verdict;
    /* Not r->reason: that may say instead that this file does not serve the program's CUDA. */
    const bool named = policy->libcuda[0] && cua_named(&d->facts);

    if (policy->libcuda[0] && !named && !policy->disabled && policy->kind != CUA_POLICY_OFF)
        cua_log(CUA_LOG_WARN, "bad-libcuda", "%s=%s is ignored: %s", CUA_ENV_LIBCUDA,
                policy->libcuda, why_unusable(&d->facts));
    if (policy->kind == CUA_POLICY_HOST && r->kind == CUA_KIND_COMPAT && !named)
        cua_log(
            CUA_LOG_WARN, "policy-host",
            "%s=host cannot be followed, because no trusted libcuda here has the kernel driver's "
            "version: auto is used",
            CUA_ENV_POLICY);
    if (r->chosen && r->chosen->loads == CUA_LOADS_NO)
        cua_log(CUA_LOG_WARN, cua_reason_code(CUA_REASON_NOT_LOADABLE),
                "%s is taken because %s says so, although it %s", r->chosen->path,
                named ? CUA_ENV_LIBCUDA : CUA_ENV_POLICY, r->chosen->obstacle);
    log_verdict(d);
}

static uint64_t hash_of(const char *library)
{
    return library ? cua_hash(library) | 1 : 0;
}

static const struct cua_decision *find(const struct cua_umd_key *loader,
                                       const struct cua_request *request)
{
    const struct cua_decision *d = decided;

    while (d &&
           (memcmp(&d->loader, loader, sizeof(*loader)) != 0 || d->by_path != request->by_path ||
            hash_of(d->library) != hash_of(request->binder.library)))
        d = d->next;
    return d;
}

static const struct recalled *find_recalled(const struct cua_umd_key *loader,
                                            const struct cua_request *request)
{
    const struct recalled *r = recalled;

    while (r && (memcmp(&r->loader, loader, sizeof(r->loader)) != 0 ||
                 r->by_path != request->by_path || r->library != hash_of(request->binder.library)))
        r = r->next;
    return r;
}

/* Allocates a decision in which only the policy is set. NULL: no memory. */
static struct cua_decision *begin(const struct cua_settings *settings)
{
    struct cua_decision *d = calloc(1, sizeof(*d));

    if (d && !(d->policy = cua_policy_in_force(settings))) {
        free(d);
        d = NULL;
    }
    return d;
}

static struct cua_umd *find_chosen(struct cua_facts *facts, const char *path)
{
    for (struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next)
        if (strcmp(umd->real, path) == 0)
            return umd;
    return NULL;
}

/* Repeats the choice of an earlier answerer, which may be that nothing is chosen. False if no
 * earlier answerer has decided this, or if the chosen file is gone. */
static bool take_recalled(struct cua_decision *d, const struct cua_subject *subject,
                          const struct cua_settings *settings, const struct cua_request *request)
{
    const struct recalled *r = find_recalled(&d->loader, request);
    struct cua_umd *chosen;

    if (!r || (!r->chosen[0] && !d->verdict.chosen))
        return r;
    chosen = r->chosen[0] ? find_chosen(&d->facts, r->chosen) : NULL;
    if (!chosen && r->chosen[0] && !d->facts.asked[CUA_FACT_UMDS]) {
        cua_gather(&d->facts, CUA_FACT_UMDS, subject, d->policy, request);
        chosen = find_chosen(&d->facts, r->chosen);
    }
    if (!chosen && r->chosen[0]) {
        cua_gather_brought(&d->facts, subject, settings, d->policy);
        chosen = find_chosen(&d->facts, r->chosen);
    }
    if (!chosen && r->chosen[0])
        return false;
    d->verdict.chosen = chosen;
    return true;
}

const struct cua_decision *cua_decision(const struct cua_subject *subject,
                                        const struct cua_settings *settings,
                                        const struct cua_request *request)
{
    const char *loader = request->loader;
    struct cua_umd_key key = {0};
    const struct cua_decision *d;
    struct cua_policy policy;
    struct stat st;

    if (loader[0] && cua_stat(loader, &st) == 0)
        key = cua_umd_key_of(&st);
    if ((d = find(&key, request)) || (made >= MOST_DECISIONS && !find_recalled(&key, request)))
        return d;
    struct cua_decision *mine = begin(settings);
    if (!mine)
        return NULL;
    policy = *mine->policy;
    struct cua_request asked = *request;
    asked.settles = !find_recalled(&key, request);
    if (!asked.settles) /* an earlier answerer has run the trials already */
        policy.trial = CUA_TRIAL_NEVER;
    cua_decide(&mine->facts, &mine->verdict, subject, settings, &policy, &asked);
    if (cua_log_wanted(CUA_LOG_INFO) || mine->policy->kind == CUA_POLICY_REPORT)
        mine->minor =
            cua_decide_minor(&mine->facts, &mine->verdict, subject, mine->policy, request);
    /* The file that ld.so would take exists but could not be examined, so nothing is decided. */
    if (loader[0] && !mine->facts.loader && mine->facts.asked[CUA_FACT_LOADER]) {
        free_decision(mine);
        return NULL;
    }
    if (mine->facts.loader)
        key = mine->facts.loader->key;
    mine->loader = key;
    mine->by_path = request->by_path;
    mine->library = request->binder.library;
    if ((d = find(&key, request))) {
        free_decision(mine);
        return d;
    }
    mine->next = decided;
    decided = mine;
    made++;
    mine->recalled = find_recalled(&key, request);
    if (take_recalled(mine, subject, settings, request))
        return mine;
    log_unknown(settings);
    /* The line that cua_log_choice collects names the GPUs, so that its reader can find a driver to
     * add for this machine. */
    if (mine->verdict.reason == CUA_REASON_RUNTIME_TOO_NEW && cua_log_collects() &&
        !mine->facts.asked[CUA_FACT_GPUS])
        cua_gather(&mine->facts, CUA_FACT_GPUS, subject, mine->policy, request);
    log_decision(mine);
    return mine;
}

#define FORMAT "%" PRIx64 ":%" PRIx64 ":%x:%" PRIx64 ":"

void cua_decisions_each(void (*fn)(void *data, const char *text), void *data)
{
    char text[PATH_MAX + 80];

    for (const struct recalled *r = recalled; r; r = r->next) {
        snprintf(text, sizeof(text), FORMAT "%s", (uint64_t)r->loader.dev, (uint64_t)r->loader.ino,
                 r->by_path, r->library, r->chosen);
        fn(data, text);
    }
    for (const struct cua_decision *d = decided; d; d = d->next) {
        if (d->recalled)
            continue;
        snprintf(text, sizeof(text), FORMAT "%s", (uint64_t)d->loader.dev, (uint64_t)d->loader.ino,
                 d->by_path, hash_of(d->library), d->verdict.chosen ? d->verdict.chosen->real : "");
        fn(data, text);
    }
}

void cua_decision_recall(const char *text)
{
    struct recalled *r = made < MOST_DECISIONS ? calloc(1, sizeof(*r)) : NULL;
    struct recalled **end = &recalled;
    uint64_t dev, ino;
    unsigned by_path;
    int at = 0;

    if (!r)
        return;
    if (sscanf(text, "%" SCNx64 ":%" SCNx64 ":%x:%" SCNx64 ":%n", &dev, &ino, &by_path, &r->library,
               &at) != 4 ||
        !at || !cua_copy(r->chosen, sizeof(r->chosen), text + at)) {
        free(r);
        return;
    }
    r->loader.dev = (dev_t)dev;
    r->loader.ino = (ino_t)ino;
    r->by_path = by_path;
    /* Keep the order, so that unchanged decisions give unchanged texts: the shim copies the texts
     * only if they differ from those it has. */
    while (*end)
        end = &(*end)->next;
    *end = r;
    made++;
}

bool cua_decision_chose(const char *file)
{
    struct stat st, chosen;

    if (cua_stat(file, &st) != 0)
        return false;
    for (const struct recalled *r = recalled; r; r = r->next)
        if (r->chosen[0] && cua_stat(r->chosen, &chosen) == 0 && chosen.st_dev == st.st_dev &&
            chosen.st_ino == st.st_ino)
            return true;
    return false;
}

static const struct cua_decision *look(struct cua_decision **looked, bool native,
                                       const struct cua_subject *subject,
                                       const struct cua_settings *settings)
{
    static const struct cua_request request;

    if (*looked || !(*looked = begin(settings)))
        return *looked;
    cua_gather(&(*looked)->facts, CUA_FACT_KMD, subject, (*looked)->policy, &request);
    if (native)
        cua_gather(&(*looked)->facts, CUA_FACT_NATIVE, subject, (*looked)->policy, &request);
    return *looked;
}

const struct cua_decision *cua_decision_kmd(const struct cua_subject *subject,
                                            const struct cua_settings *settings)
{
    static struct cua_decision *looked;

    return look(&looked, false, subject, settings);
}

const struct cua_decision *cua_decision_native(const struct cua_subject *subject,
                                               const struct cua_settings *settings)
{
    static struct cua_decision *looked;

    return look(&looked, true, subject, settings);
}
