/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a UMD newer than the kernel driver works here. */
#include "rules/newer.h"

#include <stdio.h>
#include <string.h>

#include "tables/tables.h"
#include "base/text.h"
#include "rules/weigh.h"
#include "base/version.h"
#include "facts/facts.h"

#define DETAIL 200

/* The order in which the driver itself looks: the branch (803), then the brand (804); a compute
 * capability that it does not support shows only when a context is made. */
struct answers {
    enum cua_fit branch, brand, cc;
    bool cc_by_branch;         /* cc is open because the branch is newer than the tables */
    const struct cua_gpu *gpu; /* the one that brand or cc speaks of */
    char list[96];             /* the branches, in words */
};

/* By hand: of 64 candidates with nine branches each snprintf makes a tenth of a decision. */
static void add_number(char *buf, size_t size, unsigned n)
{
    char digits[12];
    size_t at = sizeof(digits) - 1;

    digits[at] = '\0';
    do
        digits[--at] = (char)('0' + n % 10);
    while (n /= 10);
    if (buf[0])
        digits[--at] = ' ';
    cua_append(buf, size, digits + at);
}

static void ask_branch(struct answers *answers, const struct cua_facts *facts,
                       const struct cua_umd *umd)
{
    unsigned kmd = facts->kmd.version.part[0];
    bool complete = true, found = false;

    if (umd->note.present && umd->note.has_branches) {
        for (size_t i = 0; i < umd->note.branches; i++) {
            add_number(answers->list, sizeof(answers->list), umd->note.branch[i]);
            found |= umd->note.branch[i] == kmd;
        }
    } else {
        const struct cua_row_forward *row = cua_data_forward(facts->data, umd->version.part[0]);
        for (size_t i = 0; row && i < CUA_DATA_BRANCHES && row->kmd[i]; i++) {
            add_number(answers->list, sizeof(answers->list), row->kmd[i]);
            found |= row->kmd[i] == kmd;
        }
        if (row)
            complete = row->complete;
        else if (umd->version.part[0] > cua_data_newest_branch(facts->data) || !umd->cuda)
            complete = false;
    }
    answers->branch = found ? CUA_FIT_YES : complete ? CUA_FIT_NO : CUA_FIT_OPEN;
}

static enum cua_fit brand_fits(const struct cua_facts *facts, const struct cua_umd *umd, int brand)
{
    if (brand < 0)
        return CUA_FIT_OPEN;
    if (!umd->note.present || !umd->note.has_brands) {
        uint32_t brands =
            cua_data_brands(facts->data, umd->version.part[0], facts->kmd.version.part[0]);
        return brand < 32 && brands >> brand & 1 ? CUA_FIT_YES : CUA_FIT_NO;
    }
    for (size_t i = 0; i < umd->note.brands; i++)
        if (umd->note.brand[i] == brand)
            return CUA_FIT_YES;
    return CUA_FIT_NO;
}

/* Takes the worse of two answers, and the GPU that gave it; of equals the first by PCI address. */
static void worse(enum cua_fit *all, enum cua_fit one, const struct cua_gpu **of,
                  const struct cua_gpu *gpu)
{
    if (one < *all) {
        *all = one;
        *of = gpu;
    }
}

static void ask_gpus(struct answers *answers, const struct cua_facts *facts,
                     const struct cua_umd *umd)
{
    unsigned least = cua_data_min_cc(facts->data, umd->version.part[0]);
    const struct cua_gpu *by_brand = NULL, *by_cc = NULL;
    bool any = false;

    for (size_t i = 0; i < facts->gpu_count; i++)
        any |= facts->gpus[i].visible;
    /* A program that sees no GPU may still unhide one before it calls cuInit: all of them count. */
    answers->brand = answers->cc =
        facts->gpus_known && facts->gpu_count ? CUA_FIT_YES : CUA_FIT_OPEN;
    for (size_t i = 0; i < facts->gpu_count; i++) {
        const struct cua_gpu *gpu = &facts->gpus[i];
        if (any && !gpu->visible)
            continue;
        worse(&answers->brand, brand_fits(facts, umd, gpu->brand), &by_brand, gpu);
        worse(&answers->cc,
              !gpu->cc || !least ? CUA_FIT_OPEN
              : gpu->cc < least  ? CUA_FIT_NO
                                 : CUA_FIT_YES,
              &by_cc, gpu);
    }
    answers->cc_by_branch = least == 0;
    bool brand_first = answers->brand == CUA_FIT_NO ||
                       (answers->brand == CUA_FIT_OPEN && answers->cc != CUA_FIT_NO);
    answers->gpu = brand_first ? by_brand : by_cc;
}

static void settle(struct cua_weight *weight, enum cua_fit fit, enum cua_reason reason, int code)
{
    weight->fit = fit;
    weight->reason = reason;
    weight->code = code;
}

static const char *gpu_name(const struct cua_gpu *gpu)
{
    return !gpu ? "a GPU" : gpu->model[0] ? gpu->model : gpu->pci[0] ? gpu->pci : "a GPU";
}

static void weigh_linux(struct cua_weight *weight, const struct cua_facts *facts)
{
    const struct cua_umd *umd = weight->umd;
    const char *kmd = facts->kmd.version.text, *version = umd->version.text;
    const char *whose = umd->note.present && umd->note.has_branches ? "its own list" : "the data";
    unsigned branch = facts->kmd.version.part[0];
    struct answers answers = {.list = ""};
    char *detail = weight->detail;

    ask_branch(&answers, facts, umd);
    ask_gpus(&answers, facts, umd);
    bool hardware =
        answers.brand == CUA_FIT_OPEN || (answers.cc == CUA_FIT_OPEN && !answers.cc_by_branch);
    const char *gpu = gpu_name(answers.gpu);

    if (answers.branch == CUA_FIT_NO) {
        settle(weight, CUA_FIT_NO, CUA_REASON_NEWER_BRANCH, 803);
        snprintf(detail, DETAIL, "%s does not run on kernel driver branch %u (%s: %s)", version,
                 branch, whose, answers.list[0] ? answers.list : "none");
    } else if (answers.brand == CUA_FIT_NO) {
        settle(weight, CUA_FIT_NO, CUA_REASON_NEWER_BRAND,
               answers.branch == CUA_FIT_YES ? 804 : -1);
        snprintf(detail, DETAIL,
                 "%s is newer than %s, and %.60s (brand %s) has no forward compatibility", version,
                 kmd, gpu, cua_brand_name(answers.gpu->brand));
    } else if (answers.cc == CUA_FIT_NO) {
        unsigned least = cua_data_min_cc(facts->data, umd->version.part[0]);
        settle(weight, CUA_FIT_NO, CUA_REASON_NEWER_CC,
               answers.branch == CUA_FIT_YES && answers.brand == CUA_FIT_YES ? 0 : -1);
        snprintf(detail, DETAIL, "%s needs compute capability %u.%u, %.60s has %u.%u", version,
                 least / 10, least % 10, gpu, answers.gpu->cc / 10, answers.gpu->cc % 10);
    } else if (!umd->companions) {
        settle(weight, CUA_FIT_NO, CUA_REASON_NEWER_INCOMPLETE, -1);
        snprintf(detail, DETAIL, "%s is not beside it", umd->missing);
    } else if (facts->mps) {
        settle(weight, CUA_FIT_NO, CUA_REASON_NEWER_MPS, -1);
    } else if (!(umd->found & CUA_FOUND_COMPAT) && !umd->note.present) {
        settle(weight, CUA_FIT_OPEN, CUA_REASON_NEWER_ORDINARY, -1);
        snprintf(detail, DETAIL, "%s is newer than %s, has no note and lies in no compat folder",
                 version, kmd);
    } else if (answers.branch == CUA_FIT_OPEN || answers.cc_by_branch) {
        settle(weight, CUA_FIT_OPEN, CUA_REASON_NEWER_UNKNOWN_BRANCH, -1);
        snprintf(detail, DETAIL, "the data (newest branch %u) does not tell whether %s runs on %s",
                 cua_data_newest_branch(facts->data), version, kmd);
    } else if (hardware) {
        settle(weight, CUA_FIT_OPEN, CUA_REASON_NEWER_UNKNOWN_GPU, -1);
        snprintf(detail, DETAIL, "brand or compute capability of %.60s is not known", gpu);
    } else {
        settle(weight, CUA_FIT_YES, CUA_REASON_NEWER_CERTAIN, 0);
        snprintf(detail, DETAIL, "%s runs on kernel driver branch %u (%s: %s) and on these GPUs",
                 version, branch, whose, answers.list[0] ? answers.list : "up to that CUDA");
    }
    weight->hardware = hardware;
}

static void weigh_tegra(struct cua_weight *weight, const struct cua_facts *facts,
                        const struct cua_umd *native)
{
    char ours[12] = "unknown", theirs[12] = "unknown";
    unsigned cuda = weight->umd->cuda;

    if (cuda)
        cua_cuda_text(cuda, ours);
    if (native && native->cuda)
        cua_cuda_text(native->cuda, theirs);
    snprintf(weight->detail, DETAIL, "its CUDA is %s, the native one's is %s", ours, theirs);
    if (facts->mps)
        settle(weight, CUA_FIT_NO, CUA_REASON_NEWER_MPS, -1);
    else if (!native || !cuda || !native->cuda)
        settle(weight, CUA_FIT_OPEN, CUA_REASON_TEGRA_UNKNOWN, -1);
    else if (cuda <= native->cuda)
        settle(weight, CUA_FIT_NO, CUA_REASON_TEGRA_NOT_HIGHER, -1);
    else
        settle(weight, CUA_FIT_YES, CUA_REASON_NEWER_CERTAIN, 0);
}

/* A trial overrules what was open or certain, never what the rules call impossible: cuInit answers
 * 0 on a GPU whose compute capability is no longer supported. */
static void ask_trial(struct cua_weight *weight)
{
    const struct cua_umd *umd = weight->umd;

    if (umd->tried == CUA_TRIAL_NONE || weight->fit == CUA_FIT_NO)
        return;
    if (umd->tried == CUA_TRIAL_SILENT) {
        settle(weight, CUA_FIT_OPEN, CUA_REASON_TRIAL_SILENT, -1);
        weight->spent = true;
        snprintf(weight->detail, DETAIL, "cuInit of it did not answer in time");
    } else if (umd->trial_code != 0) {
        settle(weight, CUA_FIT_NO, CUA_REASON_TRIAL_FAILED, umd->trial_code);
        snprintf(weight->detail, DETAIL, "cuInit of it answered %d in a child process",
                 umd->trial_code);
    } else {
        if (weight->fit == CUA_FIT_OPEN) {
            settle(weight, CUA_FIT_YES, CUA_REASON_NEWER_TRIED, 0);
            snprintf(weight->detail, DETAIL, "cuInit of it answered 0 in a child process");
        }
        weight->tried = true;
    }
}

void cua_weigh_newer(struct cua_weight *weight, const struct cua_facts *facts,
                     const struct cua_umd *native)
{
    if (facts->kmd.platform == CUA_PLATFORM_TEGRA)
        weigh_tegra(weight, facts, native);
    else
        weigh_linux(weight, facts);
    ask_trial(weight);
}
