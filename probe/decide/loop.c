/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers the facts that the rules ask for, until they have a verdict. The native UMD (user-mode
 * driver, a libcuda) is the kernel driver's own: facts/native.h. A trial is a call of cuInit in a
 * child process. */
#include "decide/loop.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuarbiter/names.h"
#include "decide/agreed.h"
#include "machine/log.h"
#include "machine/policy.h"
#include "tables/tables.h"
#include "trial/report.h"
#include "trial/trial.h"
#include "base/oldstat.h"
#include "base/reasons.h"
#include "base/text.h"
#include "drivers/folders.h"
#include "drivers/umds.h"
#include "facts/circumstances.h"
#include "facts/gpu.h"
#include "facts/kmd.h"
#include "facts/mps.h"
#include "facts/native.h"
#include "facts/toolkit.h"
#include "facts/visible.h"
#include "rules/words.h"
#include "tables/load.h"

/* Fills in the CUDA version of the drivers whose files have no ELF note with it. The tables list
 * this version by the driver's version. For Tegra's own drivers on Tegra they list it by the kernel
 * module's version. */
static void fill_cuda(struct cua_facts *facts)
{
    bool tegra = facts->kmd.platform == CUA_PLATFORM_TEGRA;

    for (struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next) {
        if (umd->cuda)
            continue;
        if (tegra && umd->tegra && !(umd->found & CUA_FOUND_COMPAT))
            umd->cuda = cua_data_tegra_cuda(facts->data, &facts->kmd.version);
        else
            umd->cuda = cua_data_umd_cuda(facts->data, &umd->version);
    }
}

/* Takes over the compute capability from a trial that saw exactly one GPU. If exactly one visible
 * GPU lacks a capability, that GPU gets it. If the list is empty, a new GPU gets it. The rules need
 * the capability, because cuInit also succeeds on a GPU that the driver's branch no longer
 * supports. */
static void take_cc(struct cua_facts *facts, const struct cua_trial *trial)
{
    struct cua_gpu *one = NULL;
    size_t unknown = 0;

    if (trial->devices != 1 || !trial->lowest_cc)
        return;
    if (facts->gpu_count == 0 && (one = cua_gpu_add(facts)))
        one->visible = facts->gpus_known = true;
    for (size_t i = 0; i < facts->gpu_count; i++)
        if (facts->gpus[i].visible && !facts->gpus[i].cc && ++unknown)
            one = &facts->gpus[i];
    if (unknown != 1)
        return;
    one->cc = trial->lowest_cc;
    snprintf(one->source, sizeof(one->source), "trial");
}

/* Finds NVML beside the native UMD; NULL: there is none. An NVML of another version refuses to
 * work with this kernel driver (error 18). */
static const char *find_nvml(const struct cua_facts *facts, char *path)
{
    const struct cua_umd *native = facts->native;
    struct stat st;

    for (int i = 0; native && facts->kmd.platform == CUA_PLATFORM_LINUX && i < 2; i++)
        if (cua_join(path, PATH_MAX, cua_umd_folder(native, path), "libnvidia-ml.so.") &&
            cua_append(path, PATH_MAX, i ? "1" : native->version.text) && cua_stat(path, &st) == 0)
            return path;
    return NULL;
}

static void take_answer(struct cua_facts *facts, struct cua_umd *umd, const struct cua_trial *trial)
{
    struct cua_umd *native = facts->native ? cua_facts_umd(facts, &facts->native->key) : NULL;
    bool unloaded = cua_trial_refused(trial);

    umd->tried = trial->how == CUA_TRIAL_RAN || unloaded ? CUA_TRIAL_ANSWERED : CUA_TRIAL_SILENT;
    umd->trial_code = unloaded ? CUA_TRIAL_NOT_LOADED : trial->code;
    if (native && native != umd && trial->native >= 0) {
        native->tried = CUA_TRIAL_ANSWERED;
        native->trial_code = trial->native;
    }
    if (umd->tried == CUA_TRIAL_ANSWERED)
        take_cc(facts, trial);
    cua_log(CUA_LOG_INFO, "trial", "%s: %s", umd->path,
            trial->how != CUA_TRIAL_RAN ? trial->trouble
            : trial->code               ? trial->name
                                        : "initialises");
}

struct asker {
    const struct cua_facts *facts;
    const struct cua_subject *subject;
};

/* Whether another process has decided for the container (agreed.h) meanwhile. Without this check,
 * processes that start together, each with a different GPU, would run their trials one after the
 * other although the first has decided for all. */
static bool has_been_decided(const void *about)
{
    const struct asker *asker = about;

    return cua_agreed_is_made(asker->facts, asker->subject);
}

static void gather_trial(struct cua_facts *facts, const struct cua_verdict *verdict,
                         const struct cua_subject *subject, const struct cua_settings *settings,
                         const struct cua_policy *policy)
{
    const struct asker asker = {facts, subject};
    struct cua_trial_answers *answers = calloc(1, sizeof(*answers));
    struct cua_umd *umd[CUA_TRIALS_MOST];
    char nvml[PATH_MAX];
    struct cua_trial_request request = {
        .settings = settings,
        .when = policy->trial,
        .limit = policy->trial_timeout,
        .kmd = facts->kmd.version.text,
        .gpu = facts->gpus,
        .gpus = facts->gpu_count,
        .nvml = facts->asked[CUA_FACT_TRIAL] ? NULL : find_nvml(facts, nvml),
        .native = facts->native ? facts->native->real : NULL,
        .moot = verdict->settles ? has_been_decided : NULL,
        .about = &asker,
    };

    for (unsigned i = 0; i < verdict->trials; i++) {
        umd[i] = cua_facts_umd(facts, &verdict->trial[i]);
        cua_log(
            CUA_LOG_DEBUG, "trial",
            "what cuInit of %s answers is looked up in the cache, or found out in a child process",
            umd[i]->path);
        request.file[i] = umd[i]->real;
        umd[i]->tried = CUA_TRIAL_SILENT;
    }
    int error = answers ? cua_trial_ask(answers, &request) : -ENOMEM;
    if (error)
        snprintf(facts->untried, sizeof(facts->untried), "%s%s",
                 error < 0 ? "no child process could start: " : "", cua_trial_why_not(error));
    if (answers && request.nvml) {
        cua_log(CUA_LOG_INFO, "nvml", "%s: %s", nvml,
                answers->nvml.how != CUA_TRIAL_RAN ? answers->nvml.trouble
                : answers->nvml.code               ? "does not initialise"
                                                   : "initialises");
        cua_trial_take_gpus(facts, answers);
    }
    for (unsigned i = 0; i < verdict->trials; i++) {
        umd[i]->untried = !answers || answers->file[i].how == CUA_TRIAL_UNTRIED;
        if (answers)
            take_answer(facts, umd[i], &answers->file[i]);
    }
    free(answers);
}

/* Checks whether the first file of verdict->trial would load in place of ld.so's choice. If the
 * subject is this process, ignores its sysroot (CUARBITER_SYSROOT): the libraries that the program
 * loads do not lie below it. */
static void gather_loads(struct cua_facts *facts, const struct cua_verdict *verdict,
                         const struct cua_subject *subject, const struct cua_request *request)
{
    struct cua_umd *umd = cua_facts_umd(facts, &verdict->trial[0]);
    struct cua_subject plain = *subject;

    if (cua_subject_is_own(subject))
        plain.sysroot = "";
    umd->loads = CUA_LOADS_YES;
    if (!cua_loadable(&plain, &request->binder, umd->real, facts->loader ? facts->loader->real : "",
                      umd->obstacle, sizeof(umd->obstacle)))
        umd->loads = CUA_LOADS_NO;
    if (umd->loads == CUA_LOADS_NO)
        cua_log(CUA_LOG_INFO, cua_reason_code(CUA_REASON_NOT_LOADABLE), "%s %s", umd->path,
                umd->obstacle);
}

/* Uses the answer of an earlier trial of this file, if it is cached. Like a new answer, it outranks
 * ELF notes and documentation. The cache's keys contain the list of GPUs, so the GPUs must be
 * gathered first. The keys also contain CUDA_VISIBLE_DEVICES: an answer is for the GPUs that are
 * visible now. So a GPU that the answer adds (take_cc) counts as visible. */
static void take_kept(struct cua_facts *facts, const struct cua_umd_key *key,
                      const struct cua_settings *settings, const struct cua_policy *policy)
{
    struct cua_umd *umd = cua_facts_umd(facts, key);
    const struct cua_trial_request request = {
        .settings = settings,
        .limit = policy->trial_timeout,
        .kmd = facts->kmd.version.text,
        .gpu = facts->gpus,
        .gpus = facts->gpu_count,
        .file = {umd->real},
    };
    struct cua_trial trial;

    if (facts->asked[CUA_FACT_GPUS] && umd->tried == CUA_TRIAL_NONE &&
        cua_trial_kept(&trial, &request))
        take_answer(facts, umd, &trial);
}

/* Gathers which CUDA the program needs. Reads the image's version.json only if neither libraries
 * nor CUDA_VERSION show it. If ld.so takes the native UMD and there is no compat folder
 * (cua_folders_bundle), version.json could change only log messages: request->spares skips it
 * then. */
static void gather_toolkit(struct cua_facts *facts, const struct cua_subject *subject,
                           const struct cua_request *request)
{
    cua_toolkit_gather(facts, subject, request->needed);
    if (facts->toolkit.kind == CUA_TOOLKIT_NONE && cua_toolkit_has_image(subject) &&
        !(request->spares && facts->loader && cua_is_native(facts, facts->loader) &&
          !cua_folders_bundle(subject)))
        cua_toolkit_image(&facts->toolkit, subject);
}

void cua_gather_brought(struct cua_facts *facts, const struct cua_subject *subject,
                        const struct cua_settings *settings, const struct cua_policy *policy)
{
    if (!facts->asked[CUA_FACT_BROUGHT] && cua_subject_is_own(subject) && !policy->unbrought)
        cua_umds_brought(facts, subject, settings, policy->store);
    facts->asked[CUA_FACT_BROUGHT] = true;
    if (facts->asked[CUA_FACT_TABLES])
        fill_cuda(facts);
}

void cua_gather(struct cua_facts *facts, enum cua_fact fact, const struct cua_subject *subject,
                const struct cua_policy *policy, const struct cua_request *request)
{
    switch (fact) {
    case CUA_FACT_KMD:
        if (request->part)
            facts->kmd =
                (struct cua_kmd){.platform = CUA_PLATFORM_LINUX, .version = *request->part->driver};
        else
            cua_kmd_gather(&facts->kmd, subject);
        break;
    case CUA_FACT_LOADER:
        if (request->part) {
            cua_part_loader(facts, request->part, request->loader);
            break;
        }
        facts->by_name = !request->by_path;
        cua_umds_loader(facts, subject, request->loader, request->opened, policy);
        break;
    case CUA_FACT_TOOLKIT:
        gather_toolkit(facts, subject, request);
        break;
    case CUA_FACT_TABLES:
        facts->data = cua_data_for(cua_subject_is_own(subject) ? subject : &cua_here);
        break;
    case CUA_FACT_NATIVE:
        if (request->part)
            cua_part_native(facts, subject, request->part);
        else
            cua_umds_native(facts, subject);
        break;
    case CUA_FACT_UMDS:
        cua_umds_gather(facts, subject);
        break;
    case CUA_FACT_GPUS:
        cua_gpus_gather(facts, subject);
        cua_visible_apply(facts, subject, NULL);
        break;
    case CUA_FACT_MPS:
        facts->mps = facts->kmd.platform == CUA_PLATFORM_LINUX && cua_mps_live(subject);
        break;
    case CUA_FACT_CIRCUMSTANCES:
        cua_circumstances_gather(facts, subject);
        if (cua_policy_hook_off(policy))
            strcpy(facts->circumstances.refusal, CUA_FILE_HOOK_OFF);
        break;
    case CUA_FACT_AGREED:
        cua_agreed_gather(facts, subject, request->settles);
        break;
    case CUA_FACT_BROUGHT: /* gathered by cua_gather_brought */
    case CUA_FACT_NOTHING:
    case CUA_FACT_TRIAL: /* cua_decide gathers this fact and the next */
    case CUA_FACT_LOADS:
    case CUA_FACTS:
        break;
    }
    if (request->amend)
        request->amend(facts, fact, subject, request->data);
    facts->asked[fact] = true;
    if (facts->asked[CUA_FACT_TABLES])
        fill_cuda(facts);
}

const struct cua_umd *cua_decide_minor(struct cua_facts *facts, const struct cua_verdict *verdict,
                                       const struct cua_subject *subject,
                                       const struct cua_policy *policy,
                                       const struct cua_request *request)
{
    struct cua_policy *would = malloc(sizeof(*would));
    struct cua_verdict other = *verdict;
    const struct cua_umd *umd = NULL;

    cua_rule(&other, facts, policy);
    if (would && policy->minor == CUA_MINOR_AUTO && !other.next &&
        verdict->reason == CUA_REASON_NATIVE && policy->kind <= CUA_POLICY_REPORT &&
        policy->trial != CUA_TRIAL_NEVER && !request->part) {
        *would = *policy;
        would->minor = CUA_MINOR_YES;
        for (cua_rule(&other, facts, would);
             other.next != CUA_FACT_NOTHING && other.next < CUA_FACT_TRIAL;
             cua_rule(&other, facts, would))
            cua_gather(facts, other.next, subject, policy, request);
        if (facts->circumstances.refusal[0])
            umd = NULL; /* the user or the administrator forbids it */
        else if (other.next == CUA_FACT_TRIAL)
            umd = cua_facts_umd(facts, &other.trial[0]);
        else if (other.reason == CUA_REASON_NEWER_MINOR)
            umd = other.chosen;
    }
    free(would);
    return umd;
}

static void log_candidates(const struct cua_facts *facts)
{
    struct cua_detail detail;

    if (!cua_log_wanted(CUA_LOG_DEBUG) || facts->part)
        return;
    for (const struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next)
        cua_log(CUA_LOG_DEBUG, "candidate", "%s: %s: %s", umd->path,
                cua_reason_code(cua_judge(&detail, facts, umd)), detail.text);
}

void cua_decide(struct cua_facts *facts, struct cua_verdict *verdict,
                const struct cua_subject *subject, const struct cua_settings *settings,
                const struct cua_policy *policy, const struct cua_request *request)
{
    struct cua_policy untrying;

    if (!cua_subject_is_own(subject)) {
        untrying = *policy;
        untrying.trial = CUA_TRIAL_NEVER;
        policy = &untrying;
    }
    memset(facts, 0, sizeof(*facts));
    facts->part = request->part;
    for (;;) {
        cua_rule(verdict, facts, policy);
        if (verdict->next == CUA_FACT_NOTHING && !(verdict->settles && request->settles))
            break;
        if (verdict->next == CUA_FACT_NOTHING) { /* agree with the container's other processes */
            cua_agreed_settle(facts, verdict, subject);
            continue;
        }
        if (verdict->next == CUA_FACT_TRIAL) {
            gather_trial(facts, verdict, subject, settings, policy);
            cua_visible_apply(facts, subject, NULL);
        }
        if (verdict->next == CUA_FACT_LOADS) {
            gather_loads(facts, verdict, subject, request);
            if (cua_subject_is_own(subject))
                take_kept(facts, &verdict->trial[0], settings, policy);
        }
        if (verdict->next == CUA_FACT_BROUGHT)
            cua_gather_brought(facts, subject, settings, policy);
        else
            cua_gather(facts, verdict->next, subject, policy, request);
    }
    log_candidates(facts);
}
