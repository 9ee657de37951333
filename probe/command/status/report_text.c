/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the report. The explanation, the help and the sentence about each libcuda come from
 * cua_words and cua_judge (rules/words.h). */
#include "command/status/report_text.h"

#include <stdio.h>
#include <string.h>

#include "cli/colour.h"
#include "cuarbiter/names.h"
#include "cli/layout.h"
#include "command/status/outcome.h"
#include "command/status/report.h"
#include "cli/verb.h"
#include "machine/site.h"
#include "base/policy.h"
#include "base/reasons.h"
#include "base/text.h"
#include "base/version.h"
#include "command/process.h"
#include "command/status/running.h"
#include "command/fact_words.h"
#include "rules/need.h"
#include "rules/rules.h"
#include "tables/tables.h"

static void print_kmd(const struct cua_kmd *kmd)
{
    cua_layout_title("Kernel driver");
    switch (kmd->platform) {
    case CUA_PLATFORM_NONE:
        puts("none");
        return;
    case CUA_PLATFORM_WSL:
        puts("WSL");
        break;
    case CUA_PLATFORM_TEGRA:
        printf("Tegra %s\n", kmd->version.text);
        break;
    case CUA_PLATFORM_LINUX:
        printf("%s%s%s%s\n", kmd->version.text[0] ? kmd->version.text : "version unknown",
               kmd->flavour == CUA_KMD_OPEN ? ", open" : "", kmd->source[0] ? ", from " : "",
               cua_shown(kmd->source));
        break;
    }
    cua_layout_text(kmd->trouble);
}

static bool is_alike(const struct cua_gpu *a, const struct cua_gpu *b)
{
    return strcmp(a->model, b->model) == 0 && a->brand == b->brand && a->cc == b->cc &&
           a->visible == b->visible;
}

/* Prints one line for the first GPU and the equal ones that directly follow it. Returns how many
 * GPUs these are. */
static size_t print_gpu(const struct cua_gpu *gpus, size_t count)
{
    size_t run = 1;
    char cc[24] = "";

    while (run < count && is_alike(gpus, gpus + run))
        run++;
    if (run > 1)
        printf("%zu x ", run);
    if (gpus->cc)
        snprintf(cc, sizeof(cc), ", %u.%u", gpus->cc / 10, gpus->cc % 10);
    printf("%s (%s%s)%s\n", gpus->model[0] ? cua_shown(gpus->model) : "unknown model",
           gpus->brand == CUA_BRAND_UNKNOWN ? "unknown brand" : cua_brand_name(gpus->brand), cc,
           gpus->visible ? "" : ", hidden");
    return run;
}

static void print_gpus(const struct cua_report *report)
{
    const struct cua_facts *facts = &report->facts;
    char note[256];

    if (facts->kmd.platform == CUA_PLATFORM_NONE && facts->gpu_count == 0)
        return;
    cua_layout_title("GPUs");
    if (facts->gpu_count == 0)
        puts(facts->gpus_known ? "none" : "not known");
    for (size_t i = 0; i < facts->gpu_count;) {
        printf("%*s", i ? CUA_LAYOUT_INDENT : 0, "");
        i += print_gpu(facts->gpus + i, facts->gpu_count - i);
    }
    if (cua_report_visible(report, note, sizeof(note)))
        cua_layout_text(note);
    if (facts->mps)
        cua_layout_text(cua_subject_is_own(&report->subject)
                            ? "An MPS daemon is running."
                            : "An MPS daemon is taken to be running: its socket or pipe is there.");
}

static void print_toolkit(const struct cua_toolkit *toolkit)
{
    char cuda[12];

    if (!toolkit->cuda)
        return;
    cua_layout_title("Program");
    printf("CUDA %s%s, from %s\n", cua_cuda_text(toolkit->cuda, cuda),
           toolkit->kind == CUA_TOOLKIT_HINT    ? ", as the image declares"
           : toolkit->kind == CUA_TOOLKIT_LEAST ? " or a later minor version"
                                                : "",
           cua_shown(toolkit->source));
}

struct widths {
    int version, reason;
};

static struct widths measure(const struct cua_facts *facts)
{
    struct widths widths = {(int)strlen("VERSION"), (int)strlen("REASON")};
    struct cua_detail detail;

    for (const struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next) {
        int version = (int)strlen(umd->version.text);
        int reason = (int)strlen(cua_reason_code(cua_judge(&detail, facts, umd)));
        widths.version = version > widths.version ? version : widths.version;
        widths.reason = reason > widths.reason ? reason : widths.reason;
    }
    return widths;
}

static void print_drivers(const struct cua_report *report)
{
    const struct cua_facts *facts = &report->facts;
    const struct widths widths = measure(facts);
    /* The column at which a file's path begins. If the terminal is too narrow for the path there,
     * the path gets a line of its own. */
    int before = CUA_LAYOUT_INDENT + widths.version + widths.reason + 12;
    int columns = cua_layout_columns(stdout);
    struct cua_detail detail;
    char cuda[12];

    cua_layout_title("Drivers");
    if (!facts->umds) {
        puts("no libcuda found");
        return;
    }
    printf("  %-*s  %-4s  %-*s  %s\n", widths.version, "VERSION", "CUDA", widths.reason, "REASON",
           "FILE");
    for (const struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next) {
        bool chosen = umd == report->verdict.chosen;
        enum cua_reason reason = cua_judge(&detail, facts, umd);
        const char *path = cua_shown(umd->path);
        bool narrow = columns && before + (int)strlen(path) > columns;
        printf("%*s%s%s %-*s  %-4s  %-*s  %s%*s%s%s\n", CUA_LAYOUT_INDENT, "",
               chosen ? cua_colour(CUA_GREEN) : "", chosen ? "*" : " ", widths.version,
               umd->version.text[0] ? umd->version.text : "-",
               umd->cuda ? cua_cuda_text(umd->cuda, cuda) : "-", widths.reason,
               cua_reason_code(reason), narrow ? "\n" : "", narrow ? CUA_LAYOUT_INDENT + 2 : 0, "",
               path, chosen ? cua_colour(CUA_PLAIN) : "");
        /* Do not print the sentence about the chosen file, nor the one about a native file. Also
         * do not print a sentence that the explanation above contains. */
        if (!chosen && detail.text[0] && reason != CUA_REASON_NATIVE &&
            !strstr(report->words.explanation, detail.text)) {
            printf("%*s", CUA_LAYOUT_INDENT + 2, "");
            cua_layout_wrap(detail.text, CUA_LAYOUT_INDENT + 2);
        }
        if (umd->obstacle[0] && reason != CUA_REASON_NOT_LOADABLE) {
            printf("%*s", CUA_LAYOUT_INDENT + 2, "");
            cua_layout_wrap(umd->obstacle, CUA_LAYOUT_INDENT + 2);
        }
    }
}

static void print_reason(const struct cua_report *report)
{
    cua_layout_title("Why");
    cua_layout_wrap(report->words.explanation, CUA_LAYOUT_INDENT);
    printf("%*s(%s)\n", CUA_LAYOUT_INDENT, "", cua_reason_code(report->verdict.reason));
}

static void print_facts(const struct cua_report *report)
{
    char text[256] = "";

    for (int fact = CUA_FACT_KMD; fact < CUA_FACTS; fact++)
        if (report->verdict.rests_on & 1u << fact &&
            (!text[0] || cua_append(text, sizeof(text), ", ")))
            cua_append(text, sizeof(text), cua_word_fact((enum cua_fact)fact));
    cua_append(text, sizeof(text), text[0] ? "; nothing else was needed" : "only the policy");
    cua_layout_title("Facts used");
    cua_layout_wrap(text, CUA_LAYOUT_INDENT);
}

static void print_majors(const struct cua_report *report)
{
    struct cua_verdict verdict;
    char text[PATH_MAX + 100];

    for (unsigned major = 11; major <= cua_report_last_major(report); major++) {
        const struct cua_umd *brought = cua_report_brought(report, major);
        if (brought) {
            snprintf(text, sizeof(text),
                     "A CUDA %u program would get %.40s, added by 'cuarbiter driver add', if its "
                     "cuInit works in a child process.",
                     major, brought->version.text);
            cua_layout_text(text);
            continue;
        }
        if (!cua_report_major(report, major, &verdict))
            continue;
        snprintf(text, sizeof(text), "A CUDA %u program would get %s%s", major,
                 !verdict.chosen                   ? "the loader's choice"
                 : verdict.chosen->version.text[0] ? verdict.chosen->version.text
                                                   : verdict.chosen->path,
                 verdict.works == CUA_WORKS_YES                 ? "."
                 : verdict.reason == CUA_REASON_RUNTIME_TOO_NEW ? " and fail (error 35)."
                 : verdict.works == CUA_WORKS_NO                ? " and fail."
                                                 : "; whether that works is not known.");
        cua_layout_text(text);
    }
}

static void print_newest(const struct cua_report *report)
{
    const struct cua_umd *newest = cua_report_newest(report);
    char text[120], cuda[12];

    if (!newest)
        return;
    snprintf(text, sizeof(text), "CUARBITER_POLICY=newest would %s %.40s, CUDA %s.",
             newest->tried == CUA_TRIAL_NONE ? "try" : "take", newest->version.text,
             cua_cuda_text(newest->cuda, cuda));
    cua_layout_text(text);
}

/* Returns why CUARBITER_MINOR=auto keeps the host's driver, where CUARBITER_MINOR=yes would replace
 * it. "": no reason is known. */
static const char *why_not(const struct cua_facts *facts)
{
    if (facts->circumstances.several[0])
        return facts->circumstances.several;
    if (facts->asked[CUA_FACT_AGREED] && facts->agreed.what == CUA_AGREED_NATIVE)
        return "other processes of this container use the host's driver, or there is no folder in "
               "which they could agree on another";
    return "";
}

static void print_minor(const struct cua_report *report)
{
    const struct cua_facts *facts = &report->facts;
    const struct cua_need need = cua_need(facts);
    const struct cua_umd *open = cua_report_open(report), *taken = NULL, *minor = report->minor;
    const bool native = report->verdict.reason == CUA_REASON_NATIVE;
    char text[400], has[12], wants[12];

    if (report->verdict.reason == CUA_REASON_NEWER_MINOR)
        taken = report->verdict.chosen;
    else if (native && open && facts->loader && need.cuda / 1000 == facts->loader->cuda / 1000)
        taken = open;
    if (!facts->loader || (!taken && !minor))
        return;
    snprintf(
        text, sizeof(text),
        "Error 222 is possible: the host's driver has CUDA %s, and %s CUDA %s. %s%.40s %s%s%s.",
        cua_cuda_text(facts->loader->cuda, has),
        need.exact ? "the program has" : "the image declares", cua_cuda_text(need.cuda, wants),
        taken && report->policy.kind == CUA_POLICY_REPORT ? "With the policy auto, " : "",
        (taken ? taken : minor)->version.text,
        taken ? native ? "is used instead, if its cuInit works" : "is used instead"
              : "would be used with CUARBITER_MINOR=yes, if its cuInit works",
        !taken && why_not(facts)[0] ? "; it is not used without that setting, because " : "",
        taken ? "" : why_not(facts));
    cua_layout_text(text);
}

static void print_process(const struct cua_report *report)
{
    const struct cua_running *process = &report->process;

    cua_layout_title("Process");
    printf("%ld %s%s%s%s\n", (long)process->pid, cua_shown(process->name),
           process->exe[0] ? " (" : "", cua_shown(process->exe), process->exe[0] ? ")" : "");
    for (size_t i = 0; i < process->mapped_count; i++) {
        const struct cua_running_file *mapped = &process->mapped[i];
        if (mapped->kind == CUA_MAPPED_SHIM)
            continue;
        printf("%*s%-12s  %s%s\n", CUA_LAYOUT_INDENT, "", cua_word_mapped(mapped->kind),
               cua_shown(mapped->path),
               mapped->gone ? " (the file was deleted or replaced since)" : "");
    }
    if (!cua_running_find(process, CUA_MAPPED_LIBCUDA))
        cua_layout_text("No libcuda is loaded so far.");
}

static void print_shim(const struct cua_report *report)
{
    char trouble[PATH_MAX + 128];
    struct cua_ident_read ident;
    const struct cua_running_file *shim = cua_report_shim(report, &ident);
    const char *through = cua_report_through(report, 0);
    const char *also = through ? cua_report_through(report, 1) : NULL;
    const bool off = report->policy.disabled || report->policy.kind == CUA_POLICY_OFF;

    if (!shim && !through && !report->process.absent)
        return;
    cua_layout_title("Shim");
    if (shim && !report->process.absent)
        printf("%s%s%s%s%s: %s%s%s%s\n", off ? "off, but loaded" : "active",
               through ? " through " : "", through ? through : "", also ? " and " : "",
               also ? also : "", cua_shown(shim->path), ident.version[0] ? " (" : "",
               cua_shown(ident.version), ident.version[0] ? ")" : "");
    else if (!through || shim)
        puts("not active");
    else
        printf("%s by %s%s%s\n", report->looked ? "not active, though named" : "would be loaded",
               through, also ? " and " : "", also ? also : "");
    cua_report_shim_trouble(report, trouble, sizeof(trouble));
    cua_layout_text(trouble);
}

static void print_policy(const struct cua_report *report)
{
    const struct cua_policy *policy = &report->policy;
    const char *own = cua_settings_env(&report->settings, CUA_ENV_POLICY);
    const bool sites = policy->from && strcmp(policy->from, "site") == 0;
    char name[64], text[128];

    cua_layout_title("Policy");
    if (policy->disabled)
        printf("off: disabled by %s\n", policy->site);
    else
        printf("%s (%s)%s%s\n", cua_policies[policy->kind],
               !policy->from ? "default"
               : sites       ? policy->site
                             : policy->from,
               policy->libcuda[0] ? ", file " : "", cua_shown(policy->libcuda));
    /* The environment counts first, unless the file locks the policy or disables cuarbiter. */
    if (sites && own && own[0]) {
        snprintf(text, sizeof(text), CUA_ENV_POLICY " in the environment is ignored%s%.64s%s.",
                 policy->disabled ? "" : ": ", policy->disabled ? "" : policy->site,
                 policy->disabled ? "" : " locks it");
        cua_layout_text(text);
    }
    for (size_t at = 0; cua_site_unknown(&report->settings, &at, name, sizeof(name));) {
        snprintf(text, sizeof(text), "%s is set, but is not a setting of cuarbiter.", name);
        cua_layout_text(text);
    }
}

/* Prints the settings in the environment of another process (--pid), and which libcuda they would
 * give that process. Also reports a site file (CUA_FILE_SITE) in the root of an image, or of a
 * process whose root or mounts are not this process's. `status` applies neither these settings nor
 * that site file. */
static void print_own_settings(const struct cua_report *report)
{
    const struct cua_verdict *verdict = &report->own_verdict;
    const struct cua_subject *subject = &report->subject;
    const char *name, *value, *title = "Its settings";
    struct stat st, own;

    for (size_t at = 0; subject->pid && (name = cua_process_setting(subject->env, &at, &value));) {
        cua_layout_title(title);
        printf("%s is %s in its environment\n", name, cua_shown(value));
        title = "";
    }
    if (subject->sysroot[0] && !cua_subject_is_own(subject) &&
        cua_subject_stat(subject, CUA_FILE_SITE, &st) == 0 &&
        (cua_subject_stat(&cua_here, CUA_FILE_SITE, &own) != 0 || st.st_dev != own.st_dev ||
         st.st_ino != own.st_ino)) {
        cua_layout_title(title);
        puts(subject->pid ? "the process has an " CUA_FILE_SITE
                            " of its own, which this command does not read"
                          : "the image has a " CUA_FILE_SITE ", which this command does not read");
        title = "";
    }
    if (!report->own_words.explanation[0])
        return;
    cua_layout_title(title);
    printf("with these settings: %s (%s)\n",
           verdict->chosen ? cua_shown(verdict->chosen->path) : "as without cuarbiter",
           cua_reason_code(verdict->reason));
}

static void print_data(const struct cua_report *report)
{
    const struct cua_data *data = report->facts.data;
    const char *above = cua_report_above(report);
    char text[160];

    cua_layout_title("Data");
    printf("%s, driver branches up to %u\n", (data ? data : &cua_data_builtin)->date,
           cua_data_newest_branch(data));
    if (data && data->replaced[0])
        printf("%*sreplaced by files in " CUA_DIR_DATA ": %s\n", CUA_LAYOUT_INDENT, "",
               data->replaced);
    if (data)
        cua_layout_text(data->trouble);
    if (above) {
        snprintf(text, sizeof(text),
                 "%.40s belongs to a branch newer than these data: a newer cuarbiter may know it.",
                 above);
        cua_layout_text(text);
    }
}

static void print_suit(const struct cua_report *report)
{
    struct cua_suit suit;
    char text[480];

    if (!cua_report_suit(report, &suit))
        return;
    if (suit.package)
        snprintf(text, sizeof(text), "Or add a driver: cuarbiter driver add %s; %s.",
                 suit.package->version.text, suit.why);
    else
        snprintf(text, sizeof(text), "'cuarbiter driver add' cannot help: %s.", suit.why);
    cua_layout_text(text);
}

void cua_report_text(const struct cua_report *report)
{
    cua_outcome_print(report);
    print_reason(report);
    print_majors(report);
    print_newest(report);
    print_minor(report);
    if (report->words.help[0]) {
        cua_layout_title("What to do");
        cua_layout_wrap(report->words.help, CUA_LAYOUT_INDENT);
    }
    print_suit(report);
    print_facts(report);
    putchar('\n');
    if (report->looked && report->process.pid)
        print_process(report);
    print_kmd(&report->facts.kmd);
    print_gpus(report);
    print_toolkit(&report->facts.toolkit);
    print_drivers(report);
    putchar('\n');
    print_shim(report);
    print_policy(report);
    print_own_settings(report);
    print_data(report);
}
