/* SPDX-License-Identifier: Apache-2.0 */
#include "command/status/outcome.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/colour.h"
#include "cli/layout.h"
#include "cli/verb.h"
#include "rules/rules.h"
#include "rules/words.h"

struct outcome {
    enum cua_works works;
    char text[PATH_MAX + 64]; /* such as "804 (555.58.02, bundled)" */
};

/* Whether no GPU is visible, so that cuInit finds none whatever the driver is. */
static bool is_blind(const struct cua_facts *facts)
{
    for (size_t i = 0; i < facts->gpu_count; i++)
        if (facts->gpus[i].visible)
            return false;
    return facts->gpus_known;
}

/* Judges what a program gets with the libcuda `umd` (NULL: none). If cuarbiter chooses that file,
 * takes the result from `verdict`: cuarbiter's decision rests on more facts than the prediction of
 * cua_fate. `open`: the file that cuarbiter would try (cua_report_open). `refused`: the kernel
 * driver supports none of the GPUs. */
static struct outcome judge_in(const struct cua_facts *facts, const struct cua_verdict *verdict,
                               const struct cua_umd *umd, const struct cua_umd *open, bool refused)
{
    struct outcome outcome;
    bool chosen = umd && umd == verdict->chosen, too_old;
    struct cua_fate fate;
    char answer[48];

    /* Assigned here, because an initializer could add a page of zeros to the constants. The OCI
     * hook checks this executable, takes such a page for damage, and refuses the file. */
    outcome.works = CUA_WORKS_NO;
    cua_copy(outcome.text, sizeof(outcome.text), "no libcuda");
    if (!umd)
        return outcome;
    int code = cua_judge_code(facts, umd);
    cua_fate(&fate, facts, umd, false);
    too_old = chosen ? verdict->reason == CUA_REASON_RUNTIME_TOO_NEW
                     : cua_serves(facts, umd, false) == CUA_WORKS_NO;
    if (chosen)
        outcome.works = verdict->works;
    else if (code == 0)
        outcome.works = fate.works == CUA_WORKS_NO || too_old ? CUA_WORKS_NO : CUA_WORKS_YES;
    else
        outcome.works = code < 0 ? fate.works : CUA_WORKS_NO;
    if (refused && outcome.works == CUA_WORKS_YES)
        outcome.works = CUA_WORKS_NO;
    if (outcome.works == CUA_WORKS_UNKNOWN)
        snprintf(answer, sizeof(answer), "not known%s",
                 umd == open ? ", cuarbiter would try it" : "");
    else if (outcome.works == CUA_WORKS_YES)
        snprintf(answer, sizeof(answer), "cuInit 0%s",
                 is_blind(facts) ? " if a GPU is visible" : "");
    else if (refused)
        strcpy(answer, "100");
    else if (code > 0)
        snprintf(answer, sizeof(answer), "%d", code);
    else
        snprintf(answer, sizeof(answer), "%s%s", code == 0 ? "cuInit 0, then " : "",
                 too_old     ? "35"
                 : code == 0 ? "an error"
                             : "does not work");
    snprintf(outcome.text, sizeof(outcome.text), "%s (%s, %s)", answer,
             umd->version.text[0] ? umd->version.text : umd->path,
             umd->state == CUA_UMD_FOREIGN ? "not NVIDIA's"
             : umd == facts->native        ? "the host's"
             : cua_is_brought(umd)         ? "brought"
                                           : "bundled");
    return outcome;
}

static struct outcome judge(const struct cua_report *report, const struct cua_umd *umd)
{
    return judge_in(&report->facts, &report->verdict, umd, cua_report_open(report),
                    report->refused[0]);
}

/* Returns why a program that is started now (with --pid: the process) does not get the libcuda that
 * cuarbiter would choose. Text after a ';' is advice. "": it gets that libcuda. */
static const char *why_not(const struct cua_report *report)
{
    const char *through = cua_report_through(report, 0);
    char trouble[PATH_MAX + 128];
    struct cua_ident_read ident;
    bool mapped = cua_report_shim(report, &ident);

    if (mapped && cua_report_shim_trouble(report, trouble, sizeof(trouble)))
        return "cuarbiter cannot work here: see Shim below";
    if (report->process.absent > CUA_REACHABLE && report->process.absent != CUA_UNREACHED_UNNAMED)
        return "cuarbiter is not active in this process";
    if (mapped || (through && !report->looked))
        return report->policy.kind == CUA_POLICY_REPORT
                   ? "the policy is report: cuarbiter only logs and changes nothing"
                   : "";
    if (through)
        return "cuarbiter is not active here although LD_PRELOAD or /etc/ld.so.preload names it";
    if (report->looked)
        return "not active here; to use it: cuarbiter run -- COMMAND";
    if (!report->subject.sysroot[0] && access("/proc/self/maps", R_OK) != 0)
        return "/proc cannot be read, so it is not known whether cuarbiter is active here";
    return report->subject.env
               ? "not in this image; to add it: cuarbiter install --root DIR"
               : "not in this image's /etc/ld.so.preload; to add it: cuarbiter install --root DIR";
}

static void print_line(const char *title, const char *text, const char *colour)
{
    cua_layout_title(title);
    printf("%s%s%s\n", colour, cua_shown(text), colour[0] ? cua_colour(CUA_PLAIN) : "");
}

/* Prints what a program gets after NVIDIA's hook (nvidia_hook.h): first without cuarbiter, then
 * with it. Prints nothing if the hook changes nothing. facts->loader is the file that ld.so takes
 * because of the hook. */
static void print_hooked(const struct cua_report *report)
{
    const struct cua_facts *facts = &report->hook_facts;
    const struct cua_verdict *verdict = &report->hook_verdict;
    const struct cua_umd *chosen = verdict->chosen ? verdict->chosen : facts->loader;
    struct outcome outcome;

    if (!report->hook.file)
        return;
    outcome = judge_in(facts, verdict, facts->loader, NULL, report->refused[0]);
    print_line("NVIDIA's hook", outcome.text, "");
    printf("%*sin %s; with the hook and cuarbiter: ", CUA_LAYOUT_INDENT, "",
           cua_nvidia_hook_since(&report->hook));
    if (chosen == facts->loader) {
        puts("the same");
        return;
    }
    outcome = judge_in(facts, verdict, chosen, NULL, report->refused[0]);
    puts(cua_shown(outcome.text));
}

/* Where nothing can be tried, the lines above name the host's driver, although cuarbiter would take
 * another one if a trial of that succeeds (CUARBITER_MINOR). */
static void print_tried_first(const struct cua_report *report, const struct cua_umd *open)
{
    char text[64];

    if (!open || report->verdict.reason != CUA_REASON_NATIVE || open == report->verdict.chosen ||
        report->policy.kind == CUA_POLICY_REPORT)
        return;
    snprintf(text, sizeof(text), "cuarbiter would try %.40s first", open->version.text);
    cua_layout_text(text);
}

void cua_outcome_print(const struct cua_report *report)
{
    static const enum cua_colour colours[] = {
        [CUA_WORKS_UNKNOWN] = CUA_YELLOW, [CUA_WORKS_YES] = CUA_GREEN, [CUA_WORKS_NO] = CUA_RED};
    const struct cua_umd *alone = report->facts.loader;
    const struct cua_umd *open = cua_report_open(report);
    const struct cua_umd *chosen = report->verdict.chosen ? report->verdict.chosen
                                   : open                 ? open
                                                          : alone;
    const char *why = why_not(report);
    struct outcome now, other;

    if (report->verdict.reason == CUA_REASON_NO_DRIVER) {
        print_line("Now", "no NVIDIA driver here", cua_colour(CUA_YELLOW));
        return;
    }
    now = judge(report, why[0] ? alone : chosen);
    other = judge(report, why[0] ? chosen : alone);
    print_line("Now", now.text, cua_colour(colours[now.works]));
    print_line(why[0] ? "With cuarbiter" : "Without it", alone == chosen ? "the same" : other.text,
               "");
    print_tried_first(report, open);
    /* If cuarbiter would change nothing, leave out how to use it: the text after the ';'. */
    if (alone == chosen && strchr(why, ';'))
        printf("%*s%.*s\n", CUA_LAYOUT_INDENT, "", (int)strcspn(why, ";"), why);
    else
        cua_layout_text(why);
    print_hooked(report);
}
