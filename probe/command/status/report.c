/* SPDX-License-Identifier: Apache-2.0 */
#include "command/status/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cuarbiter/names.h"
#include "command/verb.h"
#include "command/whatif.h"
#include "decide/loop.h"
#include "loader/loadable.h"
#include "loader/search.h"
#include "machine/policy.h"
#include "machine/settings.h"
#include "tables/tables.h"

bool cua_policy_of_subject(struct cua_policy *policy, const struct cua_subject *subject)
{
    const char *kind = cua_subject_env(subject, CUA_ENV_POLICY);
    const char *libcuda = cua_subject_env(subject, CUA_ENV_LIBCUDA);
    int found = kind ? cua_policy_find(kind) : -1;

    if (kind && *kind) {
        policy->kind = found < 0 ? CUA_POLICY_OFF : (enum cua_policy_kind)found;
        policy->from = "environment";
    }
    return (libcuda && libcuda[0] == '/' &&
            cua_copy(policy->libcuda, sizeof(policy->libcuda), libcuda)) ||
           (kind && *kind);
}

void cua_report_policy(struct cua_report *report, int policy)
{
    cua_policy_read(&report->policy, &report->settings);
    if (report->subject.env && !report->subject.pid) {
        /* An image's, by --env: then nothing of this environment and machine counts. */
        report->policy = (struct cua_policy){.trial_timeout = CUA_TIMEOUT_DEFAULT};
        cua_policy_of_subject(&report->policy, &report->subject);
    }
    cua_policy_check(&report->policy, &report->subject);
    report->own = report->policy;
    report->has_own = report->subject.pid && cua_policy_of_subject(&report->own, &report->subject);
    if (policy < 0)
        return;
    report->policy.kind = (enum cua_policy_kind)policy;
    report->policy.from = "--policy";
    report->policy.disabled = false;
}

int cua_report_program(struct cua_report *report, const char *file)
{
    bool own = cua_subject_is_own(&report->subject);

    if (own ? !realpath(file, report->program)
            : file[0] != '/' || !cua_copy(report->program, sizeof(report->program), file))
        return own ? -errno : -EINVAL;
    report->brings = cua_loader_brings_libcuda(&report->subject, NULL, report->program,
                                               report->libcuda, report->needed, NULL, NULL);
    return report->brings < 0 ? report->brings : 0;
}

/* Which functions of libcuda the program names anywhere and a file lacks: the rules ask only of
 * what takes the place of the loader's choice, and of what is bound at once. */
static void find_obstacles(struct cua_report *report)
{
    const struct cua_binder binder = {.library = report->program, .now = true};

    for (struct cua_umd *umd = report->facts.umds; umd && report->program[0]; umd = umd->hh.next)
        if (umd->state == CUA_UMD_USABLE && umd->loads != CUA_LOADS_NO)
            cua_loadable(&report->subject, &binder, umd->real, "", umd->obstacle,
                         sizeof(umd->obstacle));
}

/* What the rules did not ask for: by no trial, and by NVML neither. */
static void gather_rest(struct cua_report *report, const struct cua_request *request)
{
    for (enum cua_fact fact = CUA_FACT_KMD; fact < CUA_FACT_TRIAL; fact++)
        if (!report->facts.asked[fact])
            cua_gather(&report->facts, fact, &report->subject, &report->policy, request);
}

void cua_report_make(struct cua_report *report, const struct cua_overrides *overrides)
{
    const char *now = getenv("LD_BIND_NOW");
    struct cua_request request = {
        .loader = report->libcuda, .amend = cua_whatif, .data = overrides};

    if (report->program[0])
        request.binder = (struct cua_binder){.library = report->program, .now = now && now[0]};
    if (report->brings == 1)
        request.needed = (const char *const *)report->needed;
    else
        cua_loader_find(&report->subject, NULL, "libcuda.so.1", report->libcuda, NULL);
    cua_decide(&report->facts, &report->verdict, &report->subject, &report->settings,
               &report->policy, &request);
    gather_rest(report, &request);
    cua_words(&report->words, &report->verdict, &report->facts);
    find_obstacles(report);
    if (!report->has_own)
        return;
    cua_decide(&report->own_facts, &report->own_verdict, &report->subject, &report->settings,
               &report->own, &request);
    cua_words(&report->own_words, &report->own_verdict, &report->own_facts);
}

void cua_report_free(struct cua_report *report)
{
    cua_facts_free(&report->facts);
    cua_facts_free(&report->own_facts);
    for (size_t i = 0; i < CUA_NEEDED; i++)
        free(report->needed[i]);
    if (report->looked)
        cua_running_free(&report->process);
}

bool cua_report_major(const struct cua_report *report, unsigned major, struct cua_verdict *verdict)
{
    struct cua_policy policy = report->policy;
    struct cua_facts facts = report->facts;

    if (facts.toolkit.kind > CUA_TOOLKIT_HINT || !facts.umds)
        return false;
    facts.toolkit = (struct cua_toolkit){.kind = CUA_TOOLKIT_LEAST, .cuda = major * 1000};
    if (!cua_subject_is_own(&report->subject))
        policy.trial = CUA_TRIAL_NEVER;
    cua_rule(verdict, &facts, &policy);
    if (verdict->next == CUA_FACT_TRIAL) { /* what was not tried for the verdict is not now */
        policy.trial = CUA_TRIAL_NEVER;
        cua_rule(verdict, &facts, &policy);
    }
    return verdict->chosen != report->verdict.chosen || verdict->works != report->verdict.works;
}

unsigned cua_report_last_major(const struct cua_report *report)
{
    struct cua_version newest = {.part = {cua_data_newest_branch(report->facts.data)}};

    return cua_data_umd_cuda(report->facts.data, &newest) / 1000;
}

const struct cua_umd *cua_report_newest(const struct cua_report *report)
{
    struct cua_policy policy = report->policy;
    struct cua_verdict verdict;
    const struct cua_umd *umd = NULL;

    if (policy.kind != CUA_POLICY_AUTO || policy.libcuda[0] || policy.trial == CUA_TRIAL_NEVER)
        return NULL;
    policy.kind = CUA_POLICY_NEWEST;
    cua_rule(&verdict, &report->facts, &policy);
    if (verdict.next == CUA_FACT_TRIAL)
        umd = cua_facts_umd(&report->facts, &verdict.trial[0]);
    else if (verdict.reason == CUA_REASON_POLICY_NEWEST)
        umd = verdict.chosen;
    return umd && umd != report->verdict.chosen ? umd : NULL;
}

const struct cua_umd *cua_report_open(const struct cua_report *report)
{
    struct cua_verdict verdict;

    if (cua_subject_is_own(&report->subject) || !report->verdict.untried)
        return NULL;
    cua_rule(&verdict, &report->facts, &report->policy);
    return verdict.next == CUA_FACT_TRIAL ? cua_facts_umd(&report->facts, &verdict.trial[0]) : NULL;
}

int cua_report_exit(const struct cua_report *report)
{
    const struct cua_verdict *verdict = &report->verdict;

    if (verdict->reason == CUA_REASON_NO_DRIVER)
        return CUA_EXIT_NO_DRIVER;
    if (verdict->works == CUA_WORKS_YES)
        return CUA_EXIT_WORKS;
    return verdict->works == CUA_WORKS_NO ? CUA_EXIT_NONE : CUA_EXIT_UNKNOWN;
}

const char *cua_word_kind(enum cua_kind kind)
{
    static const char *const words[] = {"none", "native", "compat", "other"};

    return words[kind];
}

const char *cua_word_works(enum cua_works works)
{
    static const char *const words[] = {"unknown", "yes", "no"};

    return words[works];
}

bool cua_report_visible(const struct cua_report *report, char *text, size_t size)
{
    const struct cua_facts *facts = &report->facts;
    const char *given = cua_subject_env(&report->subject, "NVIDIA_VISIBLE_DEVICES");
    /* If there are GPUs anyway, the container got them in another way. */
    bool none = facts->asked[CUA_FACT_GPUS] && given && facts->gpu_count == 0 &&
                (!*given || strcmp(given, "void") == 0 || strcmp(given, "none") == 0);

    if (none)
        snprintf(text, size, "NVIDIA_VISIBLE_DEVICES=%s: the container was given no GPU", given);
    else if (facts->gpus_closed)
        snprintf(text, size, "%s; not counted: %zu that this process cannot open",
                 facts->visible_note, facts->gpus_closed);
    else
        snprintf(text, size, "%s", facts->visible_note);
    return none || facts->gpus_closed || facts->gpu_count;
}

const char *cua_report_through(const struct cua_report *report, unsigned number)
{
    const char *through[3] = {NULL};
    unsigned count = 0;

    if (report->looked && cua_running_preloads(&report->process))
        through[count++] = "LD_PRELOAD";
    if (report->process.preload_file[0])
        through[count++] = "/etc/ld.so.preload";
    return number < count ? through[number] : NULL;
}

const struct cua_running_file *cua_report_shim(const struct cua_report *report, char *version,
                                               size_t size)
{
    const struct cua_running_file *shim =
        report->looked ? cua_running_find(&report->process, CUA_MAPPED_SHIM) : NULL;

    version[0] = '\0';
    if (shim && !shim->gone)
        cua_ident_read(&report->process.place, shim->path, version, size);
    return shim;
}

void cua_report_shim_trouble(const struct cua_report *report, char *trouble, size_t size)
{
    char version[64], other[64], engine[PATH_MAX];
    const struct cua_running_file *shim = cua_report_shim(report, version, sizeof(version));
    const char *slash = shim ? strrchr(shim->path, '/') : NULL;

    trouble[0] = '\0';
    if (!slash || shim->gone ||
        snprintf(engine, sizeof(engine), "%.*s/" CUA_FILE_ENGINE, (int)(slash - shim->path),
                 shim->path) >= (int)sizeof(engine))
        return;
    int fd = cua_subject_open(&report->process.place, engine);
    if (fd >= 0)
        close(fd);
    cua_ident_read(&report->process.place, engine, other, sizeof(other));
    if (fd < 0)
        snprintf(trouble, size, "It does nothing: %s: %s", engine, strerror(-fd));
    else if (!other[0])
        snprintf(trouble, size, "It does nothing: %s is not an engine", engine);
    else if (version[0] && strcmp(version, other) != 0)
        snprintf(trouble, size, "%s is %s: take all three files from one build", engine, other);
}
