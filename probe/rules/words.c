/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict in words: the facts that it rests on, and what would help. */
#include "rules/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tables/tables.h"
#include "rules/weigh.h"
#include "base/reasons.h"

__attribute__((format(printf, 3, 4))) static void add(char *buf, size_t size, const char *format,
                                                      ...)
{
    size_t length = strlen(buf);
    va_list args;

    va_start(args, format);
    vsnprintf(buf + length, size - length, format, args);
    va_end(args);
}

#define EXPLAIN(verdict, ...)                                                                      \
    add((verdict)->explanation, sizeof((verdict)->explanation), __VA_ARGS__)
#define HELP(verdict, ...) add((verdict)->help, sizeof((verdict)->help), __VA_ARGS__)

/* A version, else the end of the path, which is what tells files apart. */
static const char *name_of(const struct cua_umd *umd)
{
    size_t length = strlen(umd->path);

    if (cua_version_known(&umd->version))
        return umd->version.text;
    return umd->path + (length > 80 ? length - 80 : 0);
}

/* What speaks against the newest of the newer ones that were passed over. */
static void tell_rival(struct cua_verdict *verdict, const struct cua_facts *facts)
{
    const struct cua_judgement *rival = NULL;

    for (size_t i = 0; i < verdict->judgement_count; i++) {
        const struct cua_judgement *judgement = &verdict->judgements[i];
        if (judgement->umd == verdict->chosen || judgement->umd->state != CUA_UMD_USABLE ||
            !cua_version_known(&facts->kmd.version) ||
            cua_version_compare(&judgement->umd->version, &facts->kmd.version) <= 0)
            continue;
        if (!rival || cua_newer_compare(judgement->umd, rival->umd) > 0)
            rival = judgement;
    }
    if (!rival)
        return;
    if (rival->reason == CUA_REASON_NEWER_NOT_NEEDED ||
        rival->reason == CUA_REASON_NEWER_SAME_CUDA || !rival->detail[0])
        EXPLAIN(verdict, " %s: %s", rival->umd->version.text, cua_reason_meaning(rival->reason));
    else
        EXPLAIN(verdict, " Passed over: %s.", rival->detail);
}

static void tell_too_new(struct cua_verdict *verdict, const struct cua_facts *facts)
{
    const struct cua_row_toolkit *row;
    unsigned cuda = verdict->chosen->cuda;
    char toolkit[12], brought[12];

    cua_runs(facts, verdict->chosen, &row);
    EXPLAIN(verdict, "The program's CUDA is %s (%s), which %s",
            cua_cuda_text(facts->toolkit.cuda, toolkit), facts->toolkit.source,
            name_of(verdict->chosen));
    if (cuda)
        EXPLAIN(verdict, " of CUDA %s", cua_cuda_text(cuda, brought));
    EXPLAIN(verdict, " does not run: it will answer 35.");
    tell_rival(verdict, facts);
    if (row && cua_version_compare(&row->least, &verdict->chosen->version) > 0)
        HELP(verdict,
             "Update the host's driver to %s or newer, or use an image of CUDA %u or older.",
             row->least.text, cuda / 1000);
    else
        HELP(verdict, "%s", cua_reason_help(CUA_REASON_RUNTIME_TOO_NEW));
}

/* Minor version compatibility, where the program's CUDA is the newer one. */
static void tell_minor(struct cua_verdict *verdict, const struct cua_facts *facts)
{
    unsigned cuda = verdict->chosen->cuda;
    char text[12];

    if (cuda && facts->toolkit.cuda > cuda)
        HELP(verdict,
             "If it ends in error 222, its PTX is newer than this driver's CUDA %s: "
             "update the host's driver, or compile for this GPU.",
             cua_cuda_text(cuda, text));
}

/* What speaks for a newer one: its judgement, and what it has over native. */
static void tell_newer(struct cua_verdict *verdict, const struct cua_facts *facts,
                       const struct cua_umd *native)
{
    const struct cua_umd *umd = verdict->chosen;
    char ours[12], theirs[12], toolkit[12];

    for (size_t i = 0; i < verdict->judgement_count; i++)
        if (verdict->judgements[i].umd == umd && verdict->judgements[i].detail[0])
            EXPLAIN(verdict, "%s.", verdict->judgements[i].detail);
    if (!native)
        EXPLAIN(verdict, " No driver of the kernel driver's version is here.");
    else if (umd->cuda && native->cuda)
        EXPLAIN(verdict, " Its CUDA %s is higher than the %s of %s.",
                cua_cuda_text(umd->cuda, ours), cua_cuda_text(native->cuda, theirs),
                name_of(native));
    if (facts->toolkit.cuda)
        EXPLAIN(verdict, " The program's is %s (%s).", cua_cuda_text(facts->toolkit.cuda, toolkit),
                facts->toolkit.source);
}

static void tell_named(struct cua_verdict *verdict)
{
    EXPLAIN(verdict, "%s", cua_reason_meaning(verdict->reason));
    for (size_t i = 0; i < verdict->judgement_count; i++)
        if (verdict->judgements[i].umd == verdict->chosen && verdict->judgements[i].detail[0])
            EXPLAIN(verdict, " %s.", verdict->judgements[i].detail);
}

static void tell_chosen(struct cua_verdict *verdict, const struct cua_facts *facts,
                        const struct cua_umd *native)
{
    const struct cua_umd *umd = verdict->chosen;

    switch (verdict->reason) {
    case CUA_REASON_RUNTIME_TOO_NEW:
        tell_too_new(verdict, facts);
        return;
    case CUA_REASON_POLICY_FILE:
    case CUA_REASON_POLICY_COMPAT:
        tell_named(verdict);
        break;
    case CUA_REASON_NEWER_CERTAIN:
    case CUA_REASON_NEWER_TRIED:
        tell_newer(verdict, facts, native);
        break;
    default:
        if (facts->kmd.platform == CUA_PLATFORM_LINUX)
            EXPLAIN(verdict, "%s has the version of the kernel driver and works.",
                    facts->kmd.version.text);
        else
            EXPLAIN(verdict, "%s is the driver of this %s and works.", name_of(umd),
                    facts->kmd.platform == CUA_PLATFORM_WSL ? "WSL" : "Tegra");
        tell_rival(verdict, facts);
        tell_minor(verdict, facts);
        break;
    }
    HELP(verdict, "%s", cua_reason_help(verdict->reason));
}

static void tell_nothing(struct cua_verdict *verdict, const struct cua_facts *facts)
{
    const char *kmd = facts->kmd.version.text;

    EXPLAIN(verdict, "%s", cua_reason_meaning(verdict->reason));
    if (verdict->reason == CUA_REASON_KMD_UNKNOWN && facts->kmd.trouble[0])
        EXPLAIN(verdict, " %s.", facts->kmd.trouble);
    if (verdict->reason == CUA_REASON_NO_NATIVE || verdict->reason == CUA_REASON_MODULE_STALE ||
        verdict->reason == CUA_REASON_UNDECIDED) {
        if (kmd[0])
            EXPLAIN(verdict, " The kernel driver is %s.", kmd);
        tell_rival(verdict, facts);
    }
    HELP(verdict, "%s", cua_reason_help(verdict->reason));
    if (verdict->reason == CUA_REASON_NO_NATIVE)
        HELP(verdict, " On the host itself: reload the nvidia module or reboot.");
}

void cua_verdict_text(struct cua_verdict *verdict, const struct cua_facts *facts,
                      const struct cua_umd *native)
{
    if (verdict->chosen)
        tell_chosen(verdict, facts, native);
    else
        tell_nothing(verdict, facts);
}
