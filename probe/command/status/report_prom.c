/* SPDX-License-Identifier: Apache-2.0 */
/* Prints metrics for node_exporter's textfile collector. cuarbiter_candidates has one time
 * series for each reason that some libcuda has; every other metric has exactly one. */
#include "command/status/report_prom.h"

#include <stdio.h>

#include "cuarbiter/names.h"
#include "command/status/report.h"
#include "cli/verb.h"
#include "base/reasons.h"
#include "command/fact_words.h"
#include "rules/rules.h"
#include "tables/tables.h"

static void quote(const char *text)
{
    putchar('"');
    for (text = cua_shown(text); *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
    putchar('"');
}

static void head(const char *name, const char *help)
{
    printf("# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

static void label(char before, const char *name, const char *value)
{
    printf("%c%s=", before, name);
    quote(value);
}

static void candidates(const struct cua_facts *facts)
{
    unsigned count[CUA_REASON_COUNT] = {0};
    struct cua_detail detail;

    for (const struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next)
        count[cua_judge(&detail, facts, umd)]++;
    head("cuarbiter_candidates",
         "libcuda files found, by the reason for which cuarbiter takes or leaves them.");
    for (int reason = 0; reason < CUA_REASON_COUNT; reason++) {
        if (!count[reason])
            continue;
        fputs("cuarbiter_candidates", stdout);
        label('{', "reason", cua_reason_code((enum cua_reason)reason));
        printf("} %u\n", count[reason]);
    }
}

void cua_report_prom(const struct cua_report *report)
{
    const struct cua_verdict *verdict = &report->verdict;
    const struct cua_facts *facts = &report->facts;
    unsigned visible = 0;

    for (size_t i = 0; i < facts->gpu_count; i++)
        visible += facts->gpus[i].visible;

    int exit = cua_report_exit(report);
    head("cuarbiter_works",
         "Whether the chosen libcuda works: 1 yes, 0 no, NaN if not known or without a driver.");
    printf("cuarbiter_works %s\n", exit == CUA_EXIT_WORKS  ? "1"
                                   : exit == CUA_EXIT_NONE ? "0"
                                                           : "NaN");
    head("cuarbiter_verdict_info", "Which libcuda programs get on this node, and why.");
    fputs("cuarbiter_verdict_info", stdout);
    label('{', "reason", cua_reason_code(verdict->reason));
    label(',', "kind", cua_word_kind(verdict->chosen ? verdict->kind : CUA_KIND_NONE));
    label(',', "version", verdict->chosen ? verdict->chosen->version.text : "");
    label(',', "path", verdict->chosen ? verdict->chosen->path : "");
    fputs("} 1\n", stdout);

    head("cuarbiter_without_code",
         "What cuInit would answer without cuarbiter; -1 not known, or there is no libcuda.");
    printf("cuarbiter_without_code %d\n", cua_judge_code(facts, facts->loader));

    head("cuarbiter_kernel_driver_info", "The version of the NVIDIA kernel driver.");
    fputs("cuarbiter_kernel_driver_info", stdout);
    label('{', "version", facts->kmd.version.text);
    label(',', "platform", cua_word_platform(facts->kmd.platform));
    fputs("} 1\n", stdout);

    head("cuarbiter_gpus", "GPUs of this node.");
    printf("cuarbiter_gpus %zu\n", facts->gpu_count);
    head("cuarbiter_gpus_visible", "GPUs that CUDA_VISIBLE_DEVICES leaves visible.");
    printf("cuarbiter_gpus_visible %u\n", visible);
    candidates(facts);

    head("cuarbiter_build_info", "The versions of cuarbiter and of its data.");
    fputs("cuarbiter_build_info", stdout);
    label('{', "version", CUA_VERSION);
    label(',', "data", (facts->data ? facts->data : &cua_data_builtin)->date);
    fputs("} 1\n", stdout);
}
