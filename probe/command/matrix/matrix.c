/* SPDX-License-Identifier: Apache-2.0 */
#include "command/matrix/matrix.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/colour.h"
#include "cuarbiter/names.h"
#include "cli/jsonout.h"
#include "cli/layout.h"
#include "command/matrix/machines.h"
#include "cli/options.h"
#include "cli/output.h"
#include "command/status/report.h"
#include "cli/verb.h"
#include "base/policy.h"
#include "base/reasons.h"
#include "command/status/running.h"
#include "command/whatif.h"
#include "machine/log.h"
#include "machine/policy.h"
#include "machine/settings.h"
#include "machine/site.h"
#include "machine/subject.h"
#include "rules/rules.h"
#include "command/status/report_json.h"

struct plan {
    char **images;
    size_t image_count;
    const char *machines;
    struct cua_env env;
    int policy;
    const char *output;
    bool unmounted, json;
};

/* Takes all words after --images up to the next option. getopt_long delivers only the first, and
 * leaves the others to be taken here, from optind on. */
static void take_images(struct plan *plan, int argc, char **argv)
{
    plan->images[plan->image_count++] = optarg;
    while (optind < argc && argv[optind][0] != '-')
        plan->images[plan->image_count++] = argv[optind++];
}

/* Parses the options. Returns the exit code, or -1 to continue. */
static int parse(struct plan *plan, int argc, char **argv)
{
    int option, code = 0;

    plan->policy = -1;
    while ((option = cua_option(&cua_verb_matrix, argc, argv, true, &code)) != -1) {
        if (option == CUA_OPTION_DONE)
            return code;
        if (option == 'i') {
            take_images(plan, argc, argv);
        } else if (option == 'm') {
            plan->machines = optarg;
        } else if (option == 'e') {
            const char *wrong = cua_option_env(&plan->env, optarg);
            if (wrong)
                return cua_usage_value(&cua_verb_matrix, optarg, wrong);
        } else if (option == 'y') {
            plan->policy = cua_policy_find(optarg);
            if (plan->policy < 0)
                return cua_usage_value(&cua_verb_matrix, optarg, "--policy is " CUA_POLICY_WORDS);
        } else if (option == 'o') {
            plan->output = optarg;
        } else {
            plan->unmounted |= option == 'u';
            plan->json |= option == 'j';
        }
    }
    if (optind != argc)
        return cua_usage(&cua_verb_matrix, "it takes options only");
    if (!plan->image_count || !plan->machines)
        return cua_usage(&cua_verb_matrix, "--images and --machines are needed");
    return plan->output && cua_output_to(plan->output) ? CUA_EXIT_USAGE : -1;
}

/* Widths of the columns MACHINE and IMAGE. Both are 0 if the names are too long for a table on
 * this terminal; the names of each row then get a line of their own. Without a terminal they are
 * never 0, because programs such as grep need each row on one line. */
struct name_widths {
    int machine, image;
};

/* The width of the other columns, including the blanks between them. A row with a long reason is
 * wider. */
#define CUA_OTHER_COLUMNS 60

static int longest(int width, const char *name)
{
    int length = (int)strlen(cua_shown(name));

    return length > width ? length : width;
}

static struct name_widths measure(const struct plan *plan, const struct cua_machines *machines)
{
    struct name_widths widths = {(int)strlen("MACHINE"), (int)strlen("IMAGE")};
    int columns = cua_layout_columns(stdout);

    for (size_t i = 0; i < machines->count; i++)
        widths.machine = longest(widths.machine, machines->machine[i].name);
    for (size_t i = 0; i < plan->image_count; i++)
        widths.image = longest(widths.image, plan->images[i]);
    if (columns && widths.machine + widths.image + CUA_OTHER_COLUMNS > columns)
        return (struct name_widths){0};
    return widths;
}

static void print_names(const struct name_widths *widths, const char *machine, const char *image)
{
    printf(widths->machine ? "%-*s %-*s " : "%-*s %-*s\n  ", widths->machine, cua_shown(machine),
           widths->image, cua_shown(image));
}

static void print_heading(const struct name_widths *widths)
{
    fputs(cua_colour(CUA_BOLD), stdout);
    print_names(widths, "MACHINE", "IMAGE");
    printf("%-7s %-20s %-7s %-5s %s%s\n", "WORKS", "LIBCUDA", "WITHOUT", "HOOK", "REASON",
           cua_colour(CUA_PLAIN));
}

static void print_row(const struct cua_report *report, const struct name_widths *widths,
                      const char *machine, const char *image)
{
    const struct cua_verdict *verdict = &report->verdict;
    int code = cua_judge_code(&report->facts, report->facts.loader);
    int hooked = cua_report_hooked(report);
    char chosen[64] = "-", without[16] = "-", hook[16] = "-";
    struct cua_suit suit;

    if (verdict->chosen)
        snprintf(chosen, sizeof(chosen), "%s %s", verdict->chosen->version.text,
                 cua_word_kind(verdict->kind));
    if (code >= 0)
        snprintf(without, sizeof(without), "%d", code);
    if (hooked >= 0)
        snprintf(hook, sizeof(hook), "%d", hooked);
    print_names(widths, machine, image);
    printf("%s%-7s%s %-20s %-7s %-5s %s",
           cua_colour(verdict->works == CUA_WORKS_YES  ? CUA_GREEN
                      : verdict->works == CUA_WORKS_NO ? CUA_RED
                                                       : CUA_YELLOW),
           cua_word_works(verdict->works), cua_colour(CUA_PLAIN), chosen, without, hook,
           cua_reason_code(verdict->reason));
    if (cua_report_suit(report, &suit) && suit.package)
        printf(" (to add a driver: cuarbiter driver add %s)", suit.package->version.text);
    putchar('\n');
}

/* The worse of two exit codes. CUA_EXIT_NONE (an image does not work on a machine) is the worst.
 * Of any other two codes, the higher one is worse. */
static int worse(int a, int b)
{
    if (a == CUA_EXIT_NONE || b == CUA_EXIT_NONE)
        return CUA_EXIT_NONE;
    return a > b ? a : b;
}

static int judge(const struct plan *plan, const struct name_widths *widths,
                 const struct cua_machine *machine, const char *image, const char *root)
{
    static struct cua_report report;
    struct cua_overrides overrides = machine->overrides;

    overrides.mounted = !plan->unmounted;
    memset(&report, 0, sizeof(report));
    report.subject = (struct cua_subject){
        .sysroot = strcmp(root, "/") == 0 ? "" : root, .env = plan->env.list, .whatif = true};
    report.subject.library_path = cua_subject_env(&report.subject, "LD_LIBRARY_PATH");
    report.policy.trial_timeout = CUA_TIMEOUT_DEFAULT;
    cua_policy_of_subject(&report.policy, &report.subject);
    cua_policy_check(&report.policy, &report.subject);
    if (plan->policy >= 0) {
        report.policy.kind = (enum cua_policy_kind)plan->policy;
        report.policy.from = "--policy";
    }
    cua_preload_file(&report.subject, report.process.preload_file,
                     sizeof(report.process.preload_file));
    cua_report_make(&report, &overrides);
    if (plan->json) {
        cua_jsonout_open(NULL, '{');
        cua_jsonout_string("machine", machine->name);
        cua_jsonout_string("image", image);
        cua_report_json(&report);
        cua_jsonout_close('}');
    } else {
        print_row(&report, widths, machine->name, image);
    }
    int code = cua_report_exit(&report);
    cua_report_free(&report);
    return code;
}

static int judge_all(const struct plan *plan, const struct cua_machines *machines)
{
    const struct name_widths widths = measure(plan, machines);
    int code = CUA_EXIT_WORKS;
    char root[PATH_MAX];

    for (size_t i = 0; i < plan->image_count; i++)
        if (!realpath(plan->images[i], root)) {
            cua_complain(plan->images[i], "%s", strerror(errno));
            return CUA_EXIT_USAGE;
        }
    if (plan->json)
        cua_jsonout_open(NULL, '[');
    else
        print_heading(&widths);
    for (size_t m = 0; m < machines->count; m++)
        for (size_t i = 0; i < plan->image_count; i++)
            if (realpath(plan->images[i], root))
                code =
                    worse(code, judge(plan, &widths, &machines->machine[m], plan->images[i], root));
    if (plan->json)
        cua_jsonout_close(']');
    return code;
}

static int run(int argc, char **argv)
{
    struct cua_machines machines;
    struct plan plan = {.images = calloc((size_t)argc + 1, sizeof(char *))};
    int code = CUA_EXIT_UNKNOWN;
    struct cua_site site;

    if (!plan.images) {
        cua_complain("matrix", "%s", strerror(ENOMEM));
        return code;
    }
    code = parse(&plan, argc, argv);
    if (code < 0) {
        cua_site_read(&site);
        cua_log_setup(&(struct cua_settings){0}, &site);
        cua_site_release(&site);
        code = cua_machines_read(&machines, plan.machines) ? CUA_EXIT_USAGE
                                                           : judge_all(&plan, &machines);
        cua_machines_free(&machines);
    }
    free(plan.images);
    return code;
}

const struct cua_verb cua_verb_matrix = {
    .name = "matrix",
    .run = run,
};
