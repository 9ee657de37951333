/* SPDX-License-Identifier: Apache-2.0 */
/* UMD, native, branch, compat build, trial: see fate.h. A report is a run that cuarbiter's tables
 * list (data/measured.tsv). A note is the ELF note in a UMD (elf/compat_note.h). */
#include "rules/fate.h"

#include "facts/native.h"

/* The brands that NVIDIA's documentation excludes by name from forward compatibility: GeForce,
 * TITAN, GeForce RTX, TITAN RTX. Bit n: brand n of nvml.h. */
#define CONSUMER (1u << 5 | 1u << 6 | 1u << 15 | 1u << 16)

/* The result for one condition (see struct cua_fate). NO is certain. All zeros: the result is
 * open. */
struct condition {
    enum cua_works works;
    enum cua_grade grade;
};

static void settle(struct cua_fate *fate, enum cua_works works, enum cua_reason reason, int code)
{
    fate->works = works;
    fate->reason = reason;
    fate->code = code;
}

static void leave_open(struct cua_fate *fate, enum cua_reason reason, enum cua_fact ask)
{
    settle(fate, CUA_WORKS_UNKNOWN, reason, -1);
    fate->ask = ask;
}

/* Judges a file that is not a usable driver (`state`). The result is open for another maker's
 * libcuda. It is also open for an unreadable file, because another process, or this one later, may
 * be able to read it. */
static void judge_file(struct cua_fate *fate, enum cua_umd_state state)
{
    static const struct {
        enum cua_works works;
        enum cua_reason reason;
        int code;
    } ends[] = {
        [CUA_UMD_STUB] = {CUA_WORKS_NO, CUA_REASON_LINK_STUB, 34},
        [CUA_UMD_DAMAGED] = {CUA_WORKS_NO, CUA_REASON_DAMAGED, -1},
        [CUA_UMD_ARCH] = {CUA_WORKS_NO, CUA_REASON_WRONG_ARCH, -1},
        [CUA_UMD_UNREADABLE] = {CUA_WORKS_UNKNOWN, CUA_REASON_UNREADABLE, -1},
        [CUA_UMD_FOREIGN] = {CUA_WORKS_UNKNOWN, CUA_REASON_FOREIGN, -1},
    };

    settle(fate, ends[state].works, ends[state].reason, ends[state].code);
}

static struct condition ask_runs(const struct cua_facts *facts, const struct cua_umd *umd,
                                 enum cua_condition on, int brand)
{
    const struct cua_row_measured run = {
        .umd = umd->version.part[0], .kmd = facts->kmd.version.part[0], .brand = brand};
    enum cua_works works = cua_data_ran(facts->data, on, &run);

    return (struct condition){works, works ? CUA_GRADE_MEASURED : CUA_GRADE_NONE};
}

/* Checks whether the UMD runs on the kernel driver's branch. The file's own note outranks reports
 * of runs, and a report outranks forward.tsv. A branch that forward.tsv does not list is left
 * open. */
static struct condition ask_branch(const struct cua_facts *facts, const struct cua_umd *umd)
{
    const struct cua_note *note = &umd->note;
    unsigned branch = umd->version.part[0], kmd = facts->kmd.version.part[0];
    const struct cua_row_forward *row = cua_data_forward(facts->data, branch);
    struct condition measured = ask_runs(facts, umd, CUA_ON_BRANCH, 0);

    for (size_t i = 0; i < note->branches; i++)
        if (note->branch[i] == kmd)
            return (struct condition){CUA_WORKS_YES, CUA_GRADE_NOTE};
    if (note->has_branches)
        return (struct condition){CUA_WORKS_NO, CUA_GRADE_NOTE};
    if (measured.grade || !row || row->grade < CUA_GRADE_DECLARED)
        return measured;
    for (size_t i = 0; i < CUA_DATA_BRANCHES && row->kmd[i]; i++)
        if (row->kmd[i] == kmd)
            return (struct condition){CUA_WORKS_YES, row->grade};
    return measured;
}

static struct condition ask_brand(const struct cua_facts *facts, const struct cua_umd *umd,
                                  int brand)
{
    const struct cua_note *note = &umd->note;
    unsigned branch = umd->version.part[0], kmd = facts->kmd.version.part[0];
    struct condition measured = ask_runs(facts, umd, CUA_ON_BRAND, brand);

    if (brand < 0 || brand > 31)
        return (struct condition){CUA_WORKS_UNKNOWN, CUA_GRADE_NONE};
    for (size_t i = 0; i < note->brands; i++)
        if (note->brand[i] == brand)
            return (struct condition){CUA_WORKS_YES, CUA_GRADE_NOTE};
    if (measured.grade)
        return measured;
    if (CONSUMER >> brand & 1)
        return (struct condition){CUA_WORKS_NO, CUA_GRADE_DECLARED};
    if (!note->has_brands && cua_data_brands(facts->data, branch, kmd) >> brand & 1)
        return (struct condition){CUA_WORKS_YES, CUA_GRADE_DECLARED};
    return measured;
}

/* Checks the compute capability. NO if a reported run failed on it, or if NVIDIA's documentation
 * says that the UMD's branch has dropped it; YES for any other capability; UNKNOWN if `cc` is 0. */
static enum cua_works ask_cc(const struct cua_facts *facts, const struct cua_umd *umd, unsigned cc)
{
    const struct cua_row_measured run = {.umd = umd->version.part[0], .cc = cc};

    if (!cc)
        return CUA_WORKS_UNKNOWN;
    return cua_data_ran(facts->data, CUA_ON_CC, &run) == CUA_WORKS_NO ||
                   cc < cua_data_min_cc(facts->data, run.umd)
               ? CUA_WORKS_NO
               : CUA_WORKS_YES;
}

/* What ask_gpu has found out about all GPUs together. A GPU is refused if the UMD certainly fails
 * on it. */
struct hardware {
    bool all_refused;
    /* The lowest grade of evidence among the GPUs' brands; used only if the UMD runs on all of
     * them. */
    enum cua_grade grade;
    enum cua_reason why; /* why the first refused GPU is refused */
    /* `refused`: the first GPU that is refused. `unsure`: the first on which the UMD is not certain
     * to run. */
    const struct cua_gpu *refused, *unsure;
};

static void ask_gpu(struct hardware *all, const struct cua_facts *facts, const struct cua_umd *umd,
                    const struct cua_gpu *gpu)
{
    struct condition brand = ask_brand(facts, umd, gpu->guessed ? CUA_BRAND_UNKNOWN : gpu->brand);
    enum cua_works cc = ask_cc(facts, umd, gpu->cc);
    bool refused = brand.works == CUA_WORKS_NO || cc == CUA_WORKS_NO;

    all->all_refused &= refused;
    if (refused && !all->refused) {
        all->refused = gpu;
        all->why = brand.works == CUA_WORKS_NO ? CUA_REASON_NEWER_BRAND : CUA_REASON_NEWER_CC;
    }
    if (!all->unsure && (brand.works != CUA_WORKS_YES || cc != CUA_WORKS_YES))
        all->unsure = gpu;
    if (brand.grade < all->grade)
        all->grade = brand.grade;
}

/* Checks the GPUs that the program sees, or all if `whole`. If the program sees none, all count
 * too, because it may still unhide one before it calls cuInit. */
static struct hardware ask_gpus(const struct cua_facts *facts, const struct cua_umd *umd,
                                bool whole)
{
    struct hardware all = {.all_refused = true, .grade = CUA_GRADE_NOTE};
    bool any = false;

    for (size_t i = 0; i < facts->gpu_count; i++)
        any |= facts->gpus[i].visible;
    for (size_t i = 0; i < facts->gpu_count; i++)
        if (whole || !any || facts->gpus[i].visible)
            ask_gpu(&all, facts, umd, &facts->gpus[i]);
    return all;
}

static enum cua_grade lower(enum cua_grade a, enum cua_grade b)
{
    return a < b ? a : b;
}

/* Judges a UMD that is newer than the kernel driver: it needs forward compatibility. */
static void judge_newer(struct cua_fate *fate, const struct cua_facts *facts,
                        const struct cua_umd *umd, bool whole)
{
    bool known = facts->gpus_known && facts->gpu_count;
    struct condition branch = ask_branch(facts, umd);
    struct hardware gpus;

    if (branch.works == CUA_WORKS_NO && (umd->note.has_branches || facts->asked[CUA_FACT_TABLES])) {
        settle(fate, CUA_WORKS_NO, CUA_REASON_NEWER_BRANCH, 803);
        return;
    }
    if (!facts->asked[CUA_FACT_TABLES] || !facts->asked[CUA_FACT_GPUS]) {
        leave_open(fate, CUA_REASON_NEWER_UNKNOWN_GPU,
                   facts->asked[CUA_FACT_TABLES] ? CUA_FACT_GPUS : CUA_FACT_TABLES);
        return;
    }
    gpus = ask_gpus(facts, umd, whole);
    fate->gpu = gpus.refused ? gpus.refused : gpus.unsure;
    if (known && gpus.all_refused) {
        settle(fate, CUA_WORKS_NO, gpus.why,
               branch.works != CUA_WORKS_YES        ? -1
               : gpus.why == CUA_REASON_NEWER_BRAND ? 804
                                                    : 0);
        return;
    }
    if (!(umd->found & (CUA_FOUND_COMPAT | CUA_FOUND_BROUGHT)) && !umd->note.present) {
        leave_open(fate, CUA_REASON_NEWER_ORDINARY, CUA_FACT_NOTHING);
    } else if (branch.works != CUA_WORKS_YES ||
               !cua_data_min_cc(facts->data, umd->version.part[0])) {
        leave_open(fate, CUA_REASON_NEWER_UNKNOWN_BRANCH, CUA_FACT_NOTHING);
    } else if (gpus.refused) {
        leave_open(fate, gpus.why, CUA_FACT_NOTHING);
    } else if (!known || gpus.unsure) {
        leave_open(fate, CUA_REASON_NEWER_UNKNOWN_GPU, CUA_FACT_NOTHING);
    } else if (!facts->asked[CUA_FACT_MPS] || facts->mps) {
        leave_open(fate, CUA_REASON_NEWER_MPS, CUA_FACT_MPS);
    } else {
        settle(fate, CUA_WORKS_YES, CUA_REASON_NEWER_CERTAIN, 0);
        fate->grade = lower(lower(branch.grade, gpus.grade),
                            umd->note.present ? CUA_GRADE_NOTE : CUA_GRADE_DECLARED);
    }
}

static void judge_linux(struct cua_fate *fate, const struct cua_facts *facts,
                        const struct cua_umd *umd, bool whole)
{
    int order = cua_version_compare(&umd->version, &facts->kmd.version);

    if (umd->tegra)
        settle(fate, CUA_WORKS_NO, CUA_REASON_TEGRA_FOREIGN, -1);
    else if (!cua_version_known(&facts->kmd.version))
        leave_open(fate, CUA_REASON_KMD_MISSING, CUA_FACT_NOTHING);
    else if (!cua_version_known(&umd->version) || umd->version_doubtful)
        leave_open(fate, CUA_REASON_NO_VERSION, CUA_FACT_NOTHING);
    else if (order < 0)
        settle(fate, CUA_WORKS_NO, CUA_REASON_OLDER, 803);
    else if (facts->part) /* a library other than libcuda has no forward compatibility */
        settle(fate, CUA_WORKS_NO, CUA_REASON_NEWER_BRANCH, -1);
    else
        judge_newer(fate, facts, umd, whole);
}

/* Judges a UMD on Tegra. A compat build for Tegra works if its CUDA is later than the native
 * driver's; otherwise the result is open. A UMD for other machines certainly fails with a kernel
 * driver before 580, because Orin and older chips never run one. From 580 on (Thor), or if the
 * kernel driver's version is not known, the result is open, because a compat build may run. */
static void judge_tegra(struct cua_fate *fate, const struct cua_facts *facts,
                        const struct cua_umd *umd)
{
    const struct cua_umd *native = facts->native;
    bool old = cua_version_known(&facts->kmd.version) && facts->kmd.version.part[0] < 580;

    if (!umd->tegra && !(umd->note.present && !umd->note.has_branches)) {
        settle(fate, old ? CUA_WORKS_NO : CUA_WORKS_UNKNOWN, CUA_REASON_TEGRA_FOREIGN, -1);
    } else if (!facts->asked[CUA_FACT_TABLES] || !facts->asked[CUA_FACT_NATIVE]) {
        leave_open(fate, CUA_REASON_TEGRA_UNKNOWN,
                   facts->asked[CUA_FACT_TABLES] ? CUA_FACT_NATIVE : CUA_FACT_TABLES);
    } else if (!native || !umd->cuda || !native->cuda) {
        leave_open(fate, CUA_REASON_TEGRA_UNKNOWN, CUA_FACT_NOTHING);
    } else if (umd->cuda <= native->cuda) {
        leave_open(fate, CUA_REASON_TEGRA_NOT_HIGHER, CUA_FACT_NOTHING);
    } else {
        settle(fate, CUA_WORKS_YES, CUA_REASON_NEWER_CERTAIN, 0);
        fate->grade = CUA_GRADE_DECLARED;
    }
}

void cua_fate(struct cua_fate *fate, const struct cua_facts *facts, const struct cua_umd *umd,
              bool whole)
{
    enum cua_platform platform = facts->kmd.platform;

    *fate = (struct cua_fate){.code = -1};
    if (umd->state != CUA_UMD_USABLE) {
        judge_file(fate, umd->state);
    } else if (cua_is_native(facts, umd) && (!umd->version_doubtful || umd == facts->loader)) {
        settle(fate, CUA_WORKS_YES, CUA_REASON_NATIVE, 0);
        fate->grade = CUA_GRADE_NOTE;
    } else if (platform == CUA_PLATFORM_LINUX) {
        judge_linux(fate, facts, umd, whole);
    } else if (platform == CUA_PLATFORM_TEGRA) {
        judge_tegra(fate, facts, umd);
    } else if (platform == CUA_PLATFORM_NONE) {
        leave_open(fate, CUA_REASON_NO_DRIVER, CUA_FACT_NOTHING);
    } else if (cua_version_known(&umd->version)) {
        /* WSL's own libcuda has no version. A driver with a version needs nvidia.ko, which WSL
         * lacks, so it fails. */
        settle(fate, CUA_WORKS_NO, CUA_REASON_NEWER_WSL, -1);
    } else {
        leave_open(fate, CUA_REASON_NO_VERSION, CUA_FACT_NOTHING);
    }
}

/* Whether a trial's answer shows that the file fails: it did not load, or cuInit answered 34, 803
 * or 804. 100 counts only if native has answered 0 in the same run, because without a GPU every
 * driver answers 100. All other codes are temporary, or concern the state of a GPU. */
bool cua_trial_fails(const struct cua_facts *facts, const struct cua_umd *umd)
{
    const struct cua_umd *native = facts->native;
    int code = umd->trial_code;

    if (umd->tried != CUA_TRIAL_ANSWERED)
        return false;
    if (code == 100)
        return native && native->tried == CUA_TRIAL_ANSWERED && native->trial_code == 0;
    return code == CUA_TRIAL_NOT_LOADED || code == 34 || code == 803 || code == 804;
}

bool cua_is_newer(const struct cua_facts *facts, const struct cua_umd *umd)
{
    if (umd->state != CUA_UMD_USABLE || cua_is_native(facts, umd))
        return false;
    if (facts->kmd.platform == CUA_PLATFORM_TEGRA)
        return umd->tegra || umd->note.present;
    /* On WSL the kernel driver has no version, so nothing is newer. */
    return !umd->tegra && !umd->version_doubtful && cua_version_known(&facts->kmd.version) &&
           cua_version_compare(&umd->version, &facts->kmd.version) > 0;
}

const struct cua_umd *cua_named(const struct cua_facts *facts)
{
    const struct cua_umd *named = facts->umds;

    while (named && !(named->found & CUA_FOUND_NAMED))
        named = named->hh.next;
    return named && named->state != CUA_UMD_DAMAGED && named->state != CUA_UMD_ARCH &&
                   named->state != CUA_UMD_UNREADABLE
               ? named
               : NULL;
}

/* Whether the host was upgraded without reloading nvidia.ko. The sign is a libcuda that is newer
 * than the kernel module, and neither brought nor in a compat folder. It must be mounted, or have
 * the module's branch and lie in ld.so's cache or default folders. */
bool cua_host_was_upgraded(const struct cua_facts *facts)
{
    for (const struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next)
        if (cua_is_newer(facts, umd) && !(umd->found & (CUA_FOUND_COMPAT | CUA_FOUND_BROUGHT)) &&
            (umd->found & CUA_FOUND_MOUNT || (umd->found & (CUA_FOUND_DEFAULT | CUA_FOUND_CACHE) &&
                                              umd->version.part[0] == facts->kmd.version.part[0])))
            return true;
    return false;
}

enum cua_works cua_serves(const struct cua_facts *facts, const struct cua_umd *umd, bool hint)
{
    const struct cua_toolkit *toolkit = &facts->toolkit;

    if (!toolkit->cuda || !umd->cuda || (toolkit->kind == CUA_TOOLKIT_HINT && !hint))
        return CUA_WORKS_UNKNOWN;
    if (toolkit->cuda / 1000 > umd->cuda / 1000)
        return CUA_WORKS_NO;
    if (toolkit->kind == CUA_TOOLKIT_EXACT && !cua_cuda_starts(umd->cuda, toolkit->cuda))
        return CUA_WORKS_NO;
    return CUA_WORKS_YES;
}
