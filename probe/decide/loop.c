/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/loop.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/log.h"
#include "tables/tables.h"
#include "trial/report.h"
#include "trial/trial.h"
#include "base/oldstat.h"
#include "base/reasons.h"
#include "base/text.h"
#include "drivers/umds.h"
#include "facts/gpu.h"
#include "facts/kmd.h"
#include "facts/mps.h"
#include "facts/toolkit.h"
#include "facts/visible.h"
#include "rules/words.h"
#include "tables/load.h"

/* Without a note, the tables know the CUDA by the version: the UMD's, or on Tegra the module's. */
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

/* The compute capability of the one GPU that a trial saw: cuInit also succeeds on one that the
 * branch has dropped. */
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

/* Beside the native driver, and nowhere else: any other NVML refuses to work (18). */
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

static void gather_trial(struct cua_facts *facts, const struct cua_verdict *verdict,
                         const struct cua_settings *settings, const struct cua_policy *policy)
{
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
    };

    for (unsigned i = 0; i < verdict->trials; i++) {
        umd[i] = cua_facts_umd(facts, &verdict->trial[i]);
        cua_log(CUA_LOG_DEBUG, "trial", "%s is tried in a child", umd[i]->path);
        request.file[i] = umd[i]->real;
        umd[i]->tried = CUA_TRIAL_SILENT;
    }
    int error = answers ? cua_trial_ask(answers, &request) : -ENOMEM;
    if (error)
        snprintf(facts->untried, sizeof(facts->untried), "%s", cua_trial_why_not(error));
    if (answers && request.nvml) {
        cua_log(CUA_LOG_INFO, "nvml", "%s: %s", nvml,
                answers->nvml.how != CUA_TRIAL_RAN ? answers->nvml.trouble
                : answers->nvml.code               ? "does not initialise"
                                                   : "initialises");
        cua_trial_take_gpus(facts, answers);
    }
    for (unsigned i = 0; answers && i < verdict->trials; i++)
        take_answer(facts, umd[i], &answers->file[i]);
    free(answers);
}

/* What programs load does not lie below the sysroot of this process. */
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

void cua_gather(struct cua_facts *facts, enum cua_fact fact, const struct cua_subject *subject,
                const struct cua_policy *policy, const struct cua_request *request)
{
    switch (fact) {
    case CUA_FACT_KMD:
        cua_kmd_gather(&facts->kmd, subject);
        break;
    case CUA_FACT_LOADER:
        facts->by_name = !request->by_path;
        cua_umds_loader(facts, subject, request->loader, request->opened, policy);
        break;
    case CUA_FACT_TOOLKIT:
        cua_toolkit_gather(facts, subject, request->needed);
        break;
    case CUA_FACT_TABLES:
        facts->data = cua_data_for(cua_subject_is_own(subject) ? subject : &cua_here);
        break;
    case CUA_FACT_NATIVE:
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
    case CUA_FACT_NOTHING:
    case CUA_FACT_TRIAL: /* of a verdict */
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

static void log_candidates(const struct cua_facts *facts)
{
    struct cua_detail detail;

    if (!cua_log_wanted(CUA_LOG_DEBUG))
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
    for (;;) {
        cua_rule(verdict, facts, policy);
        if (verdict->next == CUA_FACT_NOTHING)
            break;
        if (verdict->next == CUA_FACT_TRIAL) {
            gather_trial(facts, verdict, settings, policy);
            cua_visible_apply(facts, subject, NULL);
        }
        if (verdict->next == CUA_FACT_LOADS)
            gather_loads(facts, verdict, subject, request);
        cua_gather(facts, verdict->next, subject, policy, request);
    }
    log_candidates(facts);
}
