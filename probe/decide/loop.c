/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/loop.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/log.h"
#include "tables/tables.h"
#include "trial/trial.h"
#include "base/oldstat.h"
#include "base/reasons.h"
#include "drivers/umds.h"
#include "facts/gpu.h"
#include "facts/kmd.h"
#include "facts/mps.h"
#include "facts/toolkit.h"
#include "facts/visible.h"
#include "tables/load.h"

static void gather_kmd(struct cua_kmd *kmd, const struct cua_subject *subject, const char *override)
{
    if (!override) {
        cua_kmd_gather(kmd, subject);
        return;
    }
    kmd->platform = CUA_PLATFORM_LINUX;
    snprintf(kmd->source, sizeof(kmd->source), "--kmd");
    if (cua_version_parse(&kmd->version, override) != strlen(override))
        snprintf(kmd->trouble, sizeof(kmd->trouble), "%.100s is no driver version", override);
}

/* The host's own driver, which no unpacked image holds. Whole, where a container has it. */
static void add_mounted(struct cua_facts *facts)
{
#if defined(__aarch64__)
    static const char folder[] = "/usr/lib/aarch64-linux-gnu";
#else
    static const char folder[] = "/usr/lib/x86_64-linux-gnu";
#endif
    struct cua_umd *umd;
    bool other = false;

    for (umd = facts->umds; umd; umd = umd->hh.next) {
        other = other || umd->loader_default;
        if (umd->state == CUA_UMD_USABLE &&
            cua_version_compare(&umd->version, &facts->kmd.version) == 0)
            return;
    }
    umd = calloc(1, sizeof(*umd));
    if (!umd)
        return;
    umd->loader_default = !other;
    umd->key.ino = (ino_t)-1;
    umd->version = facts->kmd.version;
    umd->found = CUA_FOUND_DEFAULT;
    umd->trusted = umd->companions = true;
    if (asprintf(&umd->path, "%s/libcuda.so.%s", folder, umd->version.text) < 0)
        umd->path = NULL;
    umd->real = umd->path ? strdup(umd->path) : NULL;
    if (umd->real)
        HASH_ADD(hh, facts->umds, key, sizeof(umd->key), umd);
    if (umd->hh.tbl)
        return;
    free(umd->real);
    free(umd->path);
    free(umd);
}

static void gather_toolkit(struct cua_toolkit *toolkit, const struct cua_subject *subject,
                           const char *override)
{
    if (!override) {
        cua_toolkit_gather(toolkit, subject, NULL, true);
        return;
    }
    toolkit->kind = CUA_TOOLKIT_EXACT;
    toolkit->cuda = toolkit->highest = cua_cuda_parse(override);
    snprintf(toolkit->source, sizeof(toolkit->source), "--toolkit");
}

/* What no note told, the tables know by the version: the UMD's, or that of Tegra's module. */
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

static void log_candidates(const struct cua_verdict *verdict)
{
    if (!cua_log_wanted(CUA_LOG_DEBUG))
        return;
    for (size_t i = 0; i < verdict->judgement_count; i++) {
        const struct cua_judgement *j = &verdict->judgements[i];
        cua_log(CUA_LOG_DEBUG, "candidate", "%s: %s: %s", j->umd->path, cua_reason_code(j->reason),
                j->detail);
    }
}

/* The lowest that the trial saw, for every GPU whose own is not known, or for one where none is
 * known: enough to tell whether a branch still supports them all, which cuInit does not tell. */
static void take_cc(struct cua_facts *facts, unsigned lowest_cc)
{
    if (lowest_cc && facts->gpu_count == 0 && !facts->gpus &&
        (facts->gpus = calloc(1, sizeof(*facts->gpus)))) {
        facts->gpus->brand = CUA_BRAND_UNKNOWN;
        facts->gpus->visible = true;
        facts->gpu_count = 1;
    }
    for (size_t i = 0; i < facts->gpu_count && lowest_cc; i++) {
        struct cua_gpu *gpu = &facts->gpus[i];
        if (!gpu->visible || gpu->cc)
            continue;
        gpu->cc = lowest_cc;
        snprintf(gpu->source, sizeof(gpu->source), "trial");
    }
}

static const struct cua_umd *native_umd(const struct cua_facts *facts)
{
    for (struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next)
        if (umd->state == CUA_UMD_USABLE && (umd->trusted || umd->loader_default) &&
            facts->kmd.platform == CUA_PLATFORM_LINUX && cua_version_known(&facts->kmd.version) &&
            cua_version_compare(&umd->version, &facts->kmd.version) == 0)
            return umd;
    return NULL;
}

/* Beside the native driver, and nowhere else. */
static bool find_nvml(const struct cua_umd *native, char *path)
{
    char folder[PATH_MAX];
    struct stat st;

    if (!native)
        return false;
    cua_umd_folder(native, folder);
    return (snprintf(path, PATH_MAX, "%s/libnvidia-ml.so.%s", folder, native->version.text) <
                PATH_MAX &&
            cua_stat(path, &st) == 0) ||
           (snprintf(path, PATH_MAX, "%s/libnvidia-ml.so.1", folder) < PATH_MAX &&
            cua_stat(path, &st) == 0);
}

/* NVML, or this driver where that is not NULL. */
static void try(struct cua_facts *facts, struct cua_umd *umd, const struct cua_settings *settings,
                const struct cua_policy *policy)
{
    struct cua_trial_answers *answers = malloc(sizeof(*answers));
    const struct cua_umd *native = native_umd(facts);
    char nvml[PATH_MAX];
    const struct cua_trial_request request = {
        .settings = settings,
        .when = policy->trial,
        .limit = policy->trial_timeout,
        .kmd = facts->kmd.version.text,
        .gpu = facts->gpus,
        .gpus = facts->gpu_count,
        .nvml = !umd && find_nvml(native, nvml) ? nvml : NULL,
        .native = native ? native->real : NULL,
        .file = {umd ? umd->real : NULL},
    };

    if (umd)
        umd->tried = CUA_TRIAL_SILENT;
    if (answers && (umd || request.nvml)) {
        const struct cua_trial *trial = umd ? answers->file : &answers->nvml;
        cua_trial_ask(answers, &request);
        if (!umd)
            cua_trial_take_gpus(facts, answers);
        else if (cua_trial_counts(trial) != CUA_TRIAL_SAYS_NOTHING) {
            umd->tried = CUA_TRIAL_ANSWERED;
            umd->trial_code = trial->code;
            take_cc(facts, trial->lowest_cc);
        }
        cua_log(CUA_LOG_INFO, umd ? "trial" : "nvml", "%s: %s", umd ? umd->path : nvml,
                trial->how != CUA_TRIAL_RAN ? trial->trouble
                : trial->code == 0          ? "initialises"
                : umd                       ? trial->name
                                            : "does not initialise");
    }
    free(answers);
}

static void run_trial(struct cua_facts *facts, const struct cua_verdict *verdict,
                      const struct cua_settings *settings, const struct cua_policy *policy)
{
    struct cua_umd *umd;

    HASH_FIND(hh, facts->umds, &verdict->trial->key, sizeof(verdict->trial->key), umd);
    if (!umd)
        return;
    cua_log(CUA_LOG_DEBUG, "trial", "%s is tried in a child", umd->path);
    try(facts, umd, settings, policy);
}

/* The rules ask for what they miss; each answer is asked for once, so this ends. */
static int judge(struct cua_facts *facts, struct cua_verdict *verdict,
                 const struct cua_subject *subject, const struct cua_settings *settings,
                 const struct cua_policy *policy, const struct cua_overrides *overrides)
{
    for (unsigned round = 0;; round++) {
        int err = cua_rules_judge(verdict, facts, policy);
        if (err)
            return err;
        bool nvml = verdict->want & CUA_WANT_NVML && !facts->nvml_asked;
        bool trial = verdict->want & CUA_WANT_TRIAL && verdict->trial &&
                     verdict->trial->tried == CUA_TRIAL_NONE;
        if (!cua_subject_is_own(subject) || (!nvml && !trial) ||
            round > HASH_COUNT(facts->umds) + 1) {
            if (round == 0)
                cua_log(CUA_LOG_DEBUG, "facts", "NVML was not asked and no driver was tried");
            return 0;
        }
        if (nvml) {
            cua_log(CUA_LOG_DEBUG, "nvml", "the native driver's NVML is asked about the GPUs");
            try(facts, NULL, settings, policy);
            cua_visible_apply(facts, subject, overrides->visible);
            facts->nvml_asked = true;
        } else {
            run_trial(facts, verdict, settings, policy);
        }
        cua_verdict_free(verdict);
    }
}

int cua_decide(struct cua_facts *facts, struct cua_verdict *verdict,
               const struct cua_subject *subject, const struct cua_settings *settings,
               const struct cua_policy *policy, const struct cua_overrides *overrides)
{
    static const struct cua_overrides none;

    if (!overrides)
        overrides = &none;
    memset(facts, 0, sizeof(*facts));
    memset(verdict, 0, sizeof(*verdict));
    facts->data = cua_data_for(cua_subject_is_own(subject) ? subject : &cua_here);
    gather_kmd(&facts->kmd, subject, overrides->kmd);
    cua_umds_gather(facts, subject, policy);
    if (overrides->mounted && cua_version_known(&facts->kmd.version))
        add_mounted(facts);
    fill_cuda(facts);
    cua_gpus_gather(facts, subject, overrides);
    cua_visible_apply(facts, subject, overrides->visible);
    gather_toolkit(&facts->toolkit, subject, overrides->toolkit);
    if (facts->kmd.platform == CUA_PLATFORM_LINUX && !overrides->kmd)
        facts->mps = cua_mps_live(subject);
    int err = judge(facts, verdict, subject, settings, policy, overrides);
    if (err == 0)
        log_candidates(verdict);
    return err;
}
