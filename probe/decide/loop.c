/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/loop.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/log.h"
#include "tables/tables.h"
#include "trial/trial.h"
#include "base/oldstat.h"
#include "base/reasons.h"
#include "base/text.h"
#include "drivers/umds.h"
#include "facts/gpu.h"
#include "facts/kmd.h"
#include "facts/mps.h"
#include "facts/native.h"
#include "facts/toolkit.h"
#include "facts/visible.h"
#include "loader/loader.h"
#include "loader/mapped.h"
#include "rules/words.h"
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

    for (umd = facts->umds; umd; umd = umd->hh.next)
        if (cua_is_native(facts, umd))
            return;
    umd = calloc(1, sizeof(*umd));
    if (!umd)
        return;
    umd->key.ino = (ino_t)-1;
    umd->version = facts->kmd.version;
    umd->found = CUA_FOUND_DEFAULT;
    umd->trusted = umd->companions = true;
    if (asprintf(&umd->path, "%s/libcuda.so.%s", folder, umd->version.text) < 0)
        umd->path = NULL;
    umd->real = umd->path ? strdup(umd->path) : NULL;
    if (umd->real)
        HASH_ADD(hh, facts->umds, key, sizeof(umd->key), umd);
    if (umd->hh.tbl) {
        facts->loader = facts->loader ? facts->loader : umd;
        return;
    }
    free(umd->real);
    free(umd->path);
    free(umd);
}

static void gather_loader(struct cua_facts *facts, const struct cua_subject *subject,
                          const struct cua_policy *policy, const struct cua_request *request)
{
    char *found = request->loader ? NULL : malloc(PATH_MAX);

    facts->by_name = !request->by_path;
    if (found)
        cua_loader_find(subject, NULL, "libcuda.so.1", found);
    if (found || request->loader)
        cua_umds_loader(facts, subject, found ? found : request->loader, policy);
    free(found);
    if (request->overrides && request->overrides->mounted && cua_version_known(&facts->kmd.version))
        add_mounted(facts);
}

/* What shares contexts with libcuda has to be of its version. */
static bool has_bound(const struct cua_subject *subject)
{
    static const char *const stems[] = {"libnvcuvid.so",    "libnvidia-encode.so",
                                        "libnvoptix.so",    "libnvidia-opticalflow.so",
                                        "libGLX_nvidia.so", "libEGL_nvidia.so"};
    struct cua_mapped mapped;
    bool has = false;

    if (!cua_subject_is_own(subject) || cua_mapped_read(&mapped) != 0)
        return false;
    for (size_t i = 0; i < mapped.count && !has; i++)
        for (size_t j = 0; j < sizeof(stems) / sizeof(*stems) && !has; j++)
            has = cua_starts(mapped.object[i].base, stems[j]);
    cua_mapped_free(&mapped);
    return has;
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

/* Beside the native driver, and nowhere else: any other NVML refuses to work with the kernel
 * driver. NULL: none, or no memory. */
static char *find_nvml(const struct cua_facts *facts)
{
    const struct cua_umd *native = facts->native;
    const char *slash = native ? strrchr(native->real, '/') : NULL;
    struct stat st;
    char *path;

    if (!slash || facts->kmd.platform != CUA_PLATFORM_LINUX)
        return NULL;
    for (int i = 0; i < 2; i++) {
        if (asprintf(&path, "%.*s/libnvidia-ml.so.%s", (int)(slash - native->real), native->real,
                     i ? "1" : native->version.text) < 0)
            return NULL;
        if (cua_stat(path, &st) == 0)
            return path;
        free(path);
    }
    return NULL;
}

static void log_trial(const char *code, const char *file, const struct cua_trial *trial)
{
    cua_log(CUA_LOG_INFO, code, "%s: %s", file,
            trial->how != CUA_TRIAL_RAN ? trial->trouble
            : trial->code == 0          ? "initialises"
            : trial->name[0]            ? trial->name
                                        : "does not initialise");
}

static void take_trial(struct cua_facts *facts, const struct cua_umd *which,
                       const struct cua_trial *trial)
{
    struct cua_umd *umd = NULL;

    HASH_FIND(hh, facts->umds, &which->key, sizeof(which->key), umd);
    if (!umd)
        return;
    umd->tried = trial && trial->how == CUA_TRIAL_RAN ? CUA_TRIAL_ANSWERED
                 : trial && cua_trial_refused(trial)  ? CUA_TRIAL_REFUSED
                                                      : CUA_TRIAL_SILENT;
    umd->trial_code = trial ? trial->code : -1;
}

static void gather_trial(struct cua_facts *facts, const struct cua_ruling *ruling,
                         const struct cua_subject *subject, const struct cua_settings *settings,
                         const struct cua_policy *policy, const struct cua_overrides *overrides)
{
    struct cua_trial_answers *answers = calloc(1, sizeof(*answers));
    char *nvml = facts->asked[CUA_FACT_TRIAL] ? NULL : find_nvml(facts);
    struct cua_trial_request request = {
        .settings = settings,
        .when = policy->trial,
        .limit = policy->trial_timeout,
        .kmd = facts->kmd.version.text,
        .gpu = facts->gpus,
        .gpus = facts->gpu_count,
        .nvml = nvml,
        .native = facts->native ? facts->native->real : NULL,
    };
    const struct cua_umd *umd[CUA_TRIAL_FILES];
    unsigned count = 0;

    for (unsigned i = 0; i < ruling->trials && count < CUA_TRIAL_FILES; i++)
        if (ruling->trial[i]->tried == CUA_TRIAL_NONE) {
            request.file[count] = ruling->trial[i]->real;
            umd[count++] = ruling->trial[i];
        }
    if (answers)
        cua_trial_ask(answers, &request);
    if (answers && nvml) {
        log_trial("nvml", nvml, &answers->nvml);
        cua_trial_take_gpus(facts, answers);
        cua_visible_apply(facts, subject, overrides->visible);
    }
    for (unsigned i = 0; i < count; i++) {
        const struct cua_trial *trial = answers ? &answers->file[i] : NULL;
        take_trial(facts, umd[i], trial);
        if (!trial)
            continue;
        log_trial("trial", umd[i]->path, trial);
        take_cc(facts, trial->lowest_cc);
        const struct cua_trial native = {.how = CUA_TRIAL_RAN, .code = trial->native};
        if (trial->native >= 0)
            take_trial(facts, facts->native, &native);
    }
    free(nvml);
    free(answers);
}

void cua_gather(struct cua_facts *facts, enum cua_fact fact, const struct cua_subject *subject,
                const struct cua_policy *policy, const struct cua_request *request)
{
    static const struct cua_overrides none;
    const struct cua_overrides *overrides = request->overrides ? request->overrides : &none;

    switch (fact) {
    case CUA_FACT_KMD:
        gather_kmd(&facts->kmd, subject, overrides->kmd);
        break;
    case CUA_FACT_LOADER:
        gather_loader(facts, subject, policy, request);
        break;
    case CUA_FACT_TOOLKIT:
        gather_toolkit(&facts->toolkit, subject, overrides->toolkit);
        facts->bound = has_bound(subject);
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
        cua_gpus_gather(facts, subject, overrides);
        cua_visible_apply(facts, subject, overrides->visible);
        break;
    case CUA_FACT_MPS:
        facts->mps =
            facts->kmd.platform == CUA_PLATFORM_LINUX && !overrides->kmd && cua_mps_live(subject);
        break;
    case CUA_FACT_NOTHING:
    case CUA_FACT_TRIAL: /* of a ruling */
    case CUA_FACTS:
        break;
    }
    facts->asked[fact] = true;
    if (facts->asked[CUA_FACT_TABLES])
        fill_cuda(facts);
}

static void log_candidates(const struct cua_facts *facts)
{
    char detail[200];

    if (!cua_log_wanted(CUA_LOG_DEBUG))
        return;
    for (const struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next) {
        enum cua_reason reason = cua_judge(detail, facts, umd);
        cua_log(CUA_LOG_DEBUG, "candidate", "%s: %s: %s", umd->path, cua_reason_code(reason),
                detail);
    }
}

void cua_decide(struct cua_facts *facts, struct cua_ruling *ruling,
                const struct cua_subject *subject, const struct cua_settings *settings,
                const struct cua_policy *policy, const struct cua_request *request)
{
    static const struct cua_overrides none;
    struct cua_policy wanted = *policy;

    memset(facts, 0, sizeof(*facts));
    if (!cua_subject_is_own(subject))
        wanted.trial = CUA_TRIAL_NEVER;
    for (;;) {
        cua_rule(ruling, facts, &wanted);
        if (ruling->next == CUA_FACT_NOTHING)
            break;
        if (ruling->next == CUA_FACT_TRIAL)
            gather_trial(facts, ruling, subject, settings, policy,
                         request->overrides ? request->overrides : &none);
        cua_gather(facts, ruling->next, subject, policy, request);
    }
    log_candidates(facts);
}

void cua_decide_rest(struct cua_facts *facts, const struct cua_subject *subject,
                     const struct cua_policy *policy, const struct cua_request *request)
{
    for (enum cua_fact fact = CUA_FACT_KMD; fact < CUA_FACT_TRIAL; fact++)
        if (!facts->asked[fact])
            cua_gather(facts, fact, subject, policy, request);
}
