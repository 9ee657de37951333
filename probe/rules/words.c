/* SPDX-License-Identifier: Apache-2.0 */
/* UMD, brought driver: see words.h. */
#include "rules/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/reasons.h"
#include "base/text.h"
#include "facts/native.h"
#include "rules/bench.h"
#include "rules/brought.h"
#include "rules/need.h"

__attribute__((format(printf, 3, 4))) static void add(char *buf, size_t size, const char *format,
                                                      ...)
{
    size_t length = strlen(buf);
    va_list args;

    va_start(args, format);
    vsnprintf(buf + length, size - length, format, args);
    va_end(args);
}

#define DETAIL(detail, ...) snprintf((detail)->text, sizeof((detail)->text), __VA_ARGS__)
#define EXPLAIN(words, ...) add((words)->explanation, sizeof((words)->explanation), __VA_ARGS__)
#define HELP(words, ...)    add((words)->help, sizeof((words)->help), __VA_ARGS__)

/* A long path loses its beginning, because its end shows best which file it is. */
static const char *end_of(const char *path, size_t most)
{
    size_t length = strlen(path);

    return path + (length > most ? length - most : 0);
}

/* A name for messages: the version or, if that is not known, the path. */
static const char *name_of(const struct cua_umd *umd)
{
    return cua_version_known(&umd->version) ? umd->version.text : end_of(umd->path, 80);
}

/* Appends to the sentence which kernel driver branches the UMD runs on, and what lists them: its
 * note, or cuarbiter's data. Then appends `end`. Leaves out branches that would leave no room for
 * `end`. */
static void add_branches(struct cua_detail *detail, const struct cua_facts *facts,
                         const struct cua_umd *umd, const char *end)
{
    const struct cua_row_forward *row = cua_data_forward(facts->data, umd->version.part[0]);
    bool own = umd->note.present && umd->note.has_branches, fits = true;
    const unsigned *branch = own ? umd->note.branch : row ? row->kmd : NULL;
    size_t most = own ? umd->note.branches : row ? CUA_DATA_BRANCHES : 0;
    char number[12];

    add(detail->text, sizeof(detail->text), " (%s:%s",
        own ? "its note lists" : "cuarbiter's data list", most && branch[0] ? "" : " none");
    for (size_t i = 0; fits && i < most && branch[i]; i++) {
        snprintf(number, sizeof(number), " %u", branch[i]);
        fits = cua_append(detail->text, sizeof(detail->text) - strlen(end), number);
    }
    add(detail->text, sizeof(detail->text), "%s", end);
}

static void describe_newer(struct cua_detail *detail, const struct cua_facts *facts,
                           const struct cua_umd *umd, const struct cua_fate *fate)
{
    const char *version = name_of(umd), *kmd = facts->kmd.version.text;
    unsigned branch = facts->kmd.version.part[0];
    unsigned least = cua_data_min_cc(facts->data, umd->version.part[0]);
    static const struct cua_gpu unknown;
    const struct cua_gpu *gpu = fate->gpu ? fate->gpu : &unknown;
    const char *model = gpu->model[0] ? gpu->model
                        : gpu->pci[0] ? gpu->pci
                        : fate->gpu   ? "a GPU here"
                                      : "the GPUs here";

    switch (fate->reason) {
    case CUA_REASON_NEWER_BRANCH:
        DETAIL(detail, "%s does not run on kernel driver branch %u", version, branch);
        add_branches(detail, facts, umd, ")");
        break;
    case CUA_REASON_NEWER_BRAND:
        DETAIL(detail,
               "%s is newer than kernel driver %s, and %.60s (brand %s) does not support forward "
               "compatibility",
               version, kmd, model, cua_brand_name(gpu->brand));
        break;
    case CUA_REASON_NEWER_CC:
        DETAIL(detail, "%s supports compute capability %u.%u and later; %.60s has %u.%u", version,
               least / 10, least % 10, model, gpu->cc / 10, gpu->cc % 10);
        break;
    case CUA_REASON_NEWER_ORDINARY:
        DETAIL(detail,
               "%s is newer than kernel driver %s, and nothing marks it as a forward-compatibility "
               "driver (no note in it, no compat folder)",
               version, kmd);
        break;
    case CUA_REASON_NEWER_UNKNOWN_BRANCH:
        DETAIL(detail,
               "cuarbiter's data (up to branch %u) do not show whether %s runs on kernel driver %s",
               cua_data_newest_branch(facts->data), version, kmd);
        break;
    case CUA_REASON_NEWER_UNKNOWN_GPU:
        DETAIL(detail, "it is not known whether %s supports %.60s", version, model);
        break;
    case CUA_REASON_NEWER_CERTAIN:
        DETAIL(detail, "%s runs on kernel driver branch %u", version, branch);
        add_branches(detail, facts, umd, ") and on these GPUs");
        break;
    default:
        break;
    }
}

static void describe_file(struct cua_detail *detail, const struct cua_facts *facts,
                          const struct cua_umd *umd, const struct cua_fate *fate)
{
    char ours[12] = "unknown", theirs[12] = "unknown";

    if (umd->cuda)
        cua_cuda_text(umd->cuda, ours);
    if (facts->native && facts->native->cuda)
        cua_cuda_text(facts->native->cuda, theirs);
    if (umd->trouble[0])
        DETAIL(detail, "%s", umd->trouble);
    else if (fate->reason == CUA_REASON_OLDER)
        DETAIL(detail, "%s is older than the kernel driver %s", name_of(umd),
               facts->kmd.version.text);
    else if (fate->reason == CUA_REASON_NATIVE && facts->kmd.platform == CUA_PLATFORM_LINUX)
        DETAIL(detail, "%s has the version of the kernel driver", name_of(umd));
    else if (facts->kmd.platform == CUA_PLATFORM_TEGRA &&
             fate->reason != CUA_REASON_TEGRA_FOREIGN && fate->reason != CUA_REASON_NATIVE)
        DETAIL(detail, "%s has CUDA %s, the host's driver has CUDA %s", name_of(umd), ours, theirs);
}

static enum cua_reason describe_trial(struct cua_detail *detail, const struct cua_facts *facts,
                                      const struct cua_umd *umd)
{
    bool answered = umd->tried == CUA_TRIAL_ANSWERED, failed = cua_trial_fails(facts, umd);
    int code = umd->trial_code;

    if (failed && code < 0)
        DETAIL(detail, "%s did not load in a child process", name_of(umd));
    else if (answered)
        DETAIL(detail, "cuInit of %s answered %d in a child process%s", name_of(umd), code,
               failed || code == 0 ? ""
                                   : ", a code that does not show whether the driver works here");
    else if (umd->untried && facts->untried[0])
        DETAIL(detail, "%s was not tried: %s", name_of(umd), facts->untried);
    else
        DETAIL(detail, "cuInit of %s gave no answer in a child process", name_of(umd));
    return failed                 ? CUA_REASON_TRIAL_FAILED
           : !answered || code    ? CUA_REASON_TRIAL_SILENT
           : umd == facts->loader ? CUA_REASON_KEPT_TRIED
                                  : CUA_REASON_NEWER_TRIED;
}

/* Says why a brought driver is not taken although the rules do not predict that cuInit fails with
 * it. Returns the reason. */
static enum cua_reason describe_refused(struct cua_detail *detail, const struct cua_facts *facts,
                                        const struct cua_umd *umd)
{
    if (cua_ran_here(facts, umd) == CUA_WORKS_NO) {
        DETAIL(detail,
               "'cuarbiter driver try' found that a CUDA kernel does not run with %s on every GPU "
               "here",
               name_of(umd));
        return CUA_REASON_BROUGHT_UNPROVEN;
    }
    if (!cua_is_proven(facts, umd)) {
        DETAIL(detail,
               "neither a note in %s nor a report in cuarbiter's data shows that it runs on kernel "
               "driver %s and these GPUs",
               name_of(umd), facts->kmd.version.text);
        return CUA_REASON_BROUGHT_UNPROVEN;
    }
    DETAIL(detail, "it is not known whether %s works %s", name_of(umd),
           facts->circumstances.mig ? "on a part of a GPU (MIG)" : "in a confidential VM");
    return CUA_REASON_BROUGHT_PART;
}

enum cua_reason cua_judge(struct cua_detail *detail, const struct cua_facts *facts,
                          const struct cua_umd *umd)
{
    struct cua_fate fate;

    detail->text[0] = '\0';
    cua_fate(&fate, facts, umd, cua_is_brought(umd));
    if (umd->state == CUA_UMD_USABLE && !umd->trusted && umd != facts->loader) {
        const char *by = umd->distrust ? umd->distrust : umd->path;
        DETAIL(detail, by[0] == '/' ? "%s can be changed by other users" : "found only through %s",
               by[0] == '/' ? end_of(by, 170) : by);
        return CUA_REASON_UNTRUSTED;
    }
    if (umd->loads == CUA_LOADS_NO) {
        DETAIL(detail, "%s cannot be used here: it ", name_of(umd));
        add(detail->text, sizeof(detail->text), "%s", umd->obstacle);
        return CUA_REASON_NOT_LOADABLE;
    }
    if (fate.works != CUA_WORKS_NO && fate.reason != CUA_REASON_NATIVE &&
        umd->tried != CUA_TRIAL_NONE)
        return describe_trial(detail, facts, umd);
    const bool proven = cua_is_brought(umd) && cua_is_proven(facts, umd);
    if (cua_is_brought(umd) &&
        ((fate.works == CUA_WORKS_YES && !proven) || (proven && cua_is_part_or_sealed(facts))))
        return describe_refused(detail, facts, umd);
    if (proven && fate.works != CUA_WORKS_YES) {
        DETAIL(detail, "'cuarbiter driver try' ran a CUDA kernel with %s on every GPU here",
               name_of(umd));
        return CUA_REASON_NEWER_CERTAIN;
    }
    if (cua_is_newer(facts, umd) && facts->kmd.platform == CUA_PLATFORM_LINUX)
        describe_newer(detail, facts, umd, &fate);
    else
        describe_file(detail, facts, umd, &fate);
    if (fate.works != CUA_WORKS_NO && facts->mps && cua_is_newer(facts, umd)) {
        if (detail->text[0] && strlen(detail->text) < sizeof(detail->text) - 40)
            add(detail->text, sizeof(detail->text), "; not tried while an MPS daemon runs");
        return CUA_REASON_NEWER_MPS;
    }
    if (!umd->companions && umd->missing[0] && strlen(detail->text) < sizeof(detail->text) - 90)
        add(detail->text, sizeof(detail->text), "%s%s is missing from the driver's folder",
            detail->text[0] ? "; " : "", umd->missing);
    return fate.reason;
}

int cua_judge_code(const struct cua_facts *facts, const struct cua_umd *umd)
{
    struct cua_fate fate;

    if (!umd)
        return -1;
    cua_fate(&fate, facts, umd, false);
    bool tried = fate.works == CUA_WORKS_UNKNOWN ||
                 (fate.works == CUA_WORKS_YES && cua_trial_fails(facts, umd));
    return umd->tried == CUA_TRIAL_ANSWERED && tried ? umd->trial_code : fate.code;
}

/* Appends to the explanation why a UMD is taken or not: `before`, the sentence of cua_judge, and
 * `after`. A sentence about an unusable file does not name it, so its name is put before it. If
 * cua_judge gives no sentence: `before`, the UMD's name, and what the reason means. */
static void describe(struct cua_words *words, const struct cua_facts *facts,
                     const struct cua_umd *umd, const char *before, const char *after)
{
    struct cua_detail detail;
    enum cua_reason reason = cua_judge(&detail, facts, umd);

    if (detail.text[0] && umd->trouble[0] && strcmp(detail.text, umd->trouble) == 0)
        EXPLAIN(words, "%s%.80s: %s%s", before, name_of(umd), detail.text, after);
    else if (detail.text[0])
        EXPLAIN(words, "%s%s%s", before, detail.text, after);
    else
        EXPLAIN(words, "%s%s: %s", before, name_of(umd), cua_reason_meaning(reason));
}

/* The latest CUDA whose programs a driver of this CUDA can start: its major or, before CUDA 11, its
 * own version. */
static const char *fits_text(unsigned cuda, char text[12])
{
    if (cuda < 11000)
        return cua_cuda_text(cuda, text);
    snprintf(text, 12, "%u", cuda / 1000);
    return text;
}

/* Explains that no driver here serves the program's CUDA, why the first brought driver is not
 * taken, and what the user can do. */
static void describe_too_new(struct cua_words *words, const struct cua_verdict *verdict,
                             const struct cua_facts *facts)
{
    const struct cua_row_toolkit *row = cua_data_toolkit(facts->data, facts->toolkit.cuda);
    unsigned cuda = verdict->chosen->cuda;
    bool hint = facts->toolkit.kind == CUA_TOOLKIT_HINT;
    const struct cua_umd *other = cua_first_brought(facts);
    char toolkit[12], brought[12];

    EXPLAIN(words, "%s CUDA is %s (%s), but %s supports CUDA %s: %s fail with error 35.",
            hint ? "The image's" : "The program's", cua_cuda_text(facts->toolkit.cuda, toolkit),
            facts->toolkit.source, name_of(verdict->chosen), cua_cuda_text(cuda, brought),
            hint ? "a program that needs it will" : "it will");
    if (other)
        describe(words, facts, other, " A driver that 'cuarbiter driver add' added is not used: ",
                 cua_is_proven(facts, other) && !other->tried
                     ? "; but its cuInit was not tried for this program."
                     : ".");
    if (row && cua_version_compare(&row->least, &verdict->chosen->version) > 0)
        HELP(words,
             "Update the host's driver to %s or newer, or use an image of CUDA %s or older.%s",
             row->least.text, fits_text(cuda, brought),
             other ? "" : " 'cuarbiter explain 35' shows whether you can add a driver instead.");
    else
        HELP(words, "%s", cua_reason_help(CUA_REASON_RUNTIME_TOO_NEW));
}

/* Explains why a brought driver was taken: which evidence shows that the program needs a later CUDA
 * than the host's driver has. */
static void describe_brought(struct cua_words *words, const struct cua_verdict *verdict,
                             const struct cua_facts *facts)
{
    const struct cua_toolkit *toolkit = &facts->toolkit;
    bool by_compiler = cua_need(facts).cuda > toolkit->cuda;
    char cuda[12];

    EXPLAIN(words, "%s", cua_reason_meaning(verdict->reason));
    if (by_compiler)
        EXPLAIN(words, " The program brings a compiler of CUDA %s.",
                cua_cuda_text(cua_need(facts).cuda, cuda));
    else if (toolkit->kind == CUA_TOOLKIT_HINT)
        EXPLAIN(words, " Only the image declares CUDA %s (%s): the program may need less.",
                cua_cuda_text(toolkit->cuda, cuda), toolkit->source);
    else
        EXPLAIN(words, " The program's CUDA is %s (%s).", cua_cuda_text(toolkit->cuda, cuda),
                toolkit->source);
    describe(words, facts, verdict->chosen, " ", ".");
}

static void describe_chosen(struct cua_words *words, const struct cua_verdict *verdict,
                            const struct cua_facts *facts)
{
    unsigned cuda = verdict->chosen->cuda, program = facts->toolkit.cuda;
    char text[12];

    switch (verdict->reason) {
    case CUA_REASON_NATIVE:
    case CUA_REASON_POLICY_HOST:
        if (cua_is_out(facts, verdict->chosen)) /* only by the policy `host` */
            describe(words, facts, verdict->chosen, "", ".");
        else if (facts->kmd.platform == CUA_PLATFORM_LINUX)
            EXPLAIN(words, "%s has the version of the kernel driver and works.",
                    facts->kmd.version.text);
        else
            EXPLAIN(words, "%s is the driver of this %s and works.", name_of(verdict->chosen),
                    facts->kmd.platform == CUA_PLATFORM_WSL ? "WSL" : "Tegra");
        break;
    case CUA_REASON_KEPT:
    case CUA_REASON_KEPT_TRIED:
    case CUA_REASON_UNDECIDED:
        describe(words, facts, verdict->chosen, "", "; cuarbiter keeps the loader's choice.");
        break;
    case CUA_REASON_RUNTIME_TOO_NEW:
        describe_too_new(words, verdict, facts);
        break;
    case CUA_REASON_NEWER_BROUGHT:
        describe_brought(words, verdict, facts);
        break;
    default:
        EXPLAIN(words, "%s", cua_reason_meaning(verdict->reason));
        describe(words, facts, verdict->chosen, " ", ".");
        break;
    }
    if (facts->loader && facts->loader != verdict->chosen)
        describe(words, facts, facts->loader, " What the loader alone would take: ", ".");
    if (verdict->reason != CUA_REASON_RUNTIME_TOO_NEW && cuda && program > cuda && program % 1000)
        HELP(words,
             "If the program fails with error 222, its PTX is newer than this driver's CUDA %s: "
             "update the host's driver, or use a build with code for this GPU.",
             cua_cuda_text(cuda, text));
    if (!words->help[0])
        HELP(words, "%s", cua_reason_help(verdict->reason));
}

static void describe_nothing(struct cua_words *words, const struct cua_verdict *verdict,
                             const struct cua_facts *facts)
{
    EXPLAIN(words, "%s", cua_reason_meaning(verdict->reason));
    for (const struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next)
        if (umd->loads == CUA_LOADS_NO)
            describe(words, facts, umd, " ", ".");
    if (verdict->reason == CUA_REASON_NO_NATIVE || verdict->reason == CUA_REASON_MODULE_STALE ||
        verdict->reason == CUA_REASON_UNDECIDED) {
        if (facts->kmd.version.text[0])
            EXPLAIN(words, " The kernel driver is %s.", facts->kmd.version.text);
        if (facts->loader)
            describe(words, facts, facts->loader, " ", ".");
    }
    HELP(words, "%s", cua_reason_help(verdict->reason));
    if (verdict->reason == CUA_REASON_NO_NATIVE)
        HELP(words,
             " If this is no container but the host itself: reload the nvidia module or reboot.");
}

void cua_words(struct cua_words *words, const struct cua_verdict *verdict,
               const struct cua_facts *facts)
{
    words->explanation[0] = words->help[0] = '\0';
    if (verdict->chosen)
        describe_chosen(words, verdict, facts);
    else
        describe_nothing(words, verdict, facts);
    if (verdict->reason == CUA_REASON_KMD_UNKNOWN && facts->kmd.trouble[0])
        EXPLAIN(words, " %s.", facts->kmd.trouble);
}
