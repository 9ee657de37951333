/* SPDX-License-Identifier: Apache-2.0 */
#include "command/status/status.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuarbiter/names.h"
#include "cli/jsonout.h"
#include "base/oldstat.h"
#include "command/gpu_name.h"
#include "cli/options.h"
#include "cli/output.h"
#include "command/status/report.h"
#include "machine/log.h"
#include "machine/site.h"
#include "cli/verb.h"
#include "base/policy.h"
#include "base/text.h"
#include "base/version.h"
#include "command/status/running.h"
#include "command/whatif.h"
#include "command/process.h"
#include "machine/subject.h"
#include "cli/home.h"
#include "command/status/report_json.h"
#include "command/status/report_prom.h"
#include "command/status/report_text.h"

enum form { CUA_FORM_TEXT, CUA_FORM_JSON, CUA_FORM_PROM };

struct options {
    struct cua_status_options machine;
    const char *output, *program;
    bool mounted, unmounted;
    int policy;
    enum form form;
};

static const char *add(const char **list, size_t *count, const char *value)
{
    if (*count == CUA_STATUS_GPUS)
        return "too many GPUs";
    list[(*count)++] = value;
    return NULL;
}

static const char *set_form(struct options *options, enum form form)
{
    if (options->form != CUA_FORM_TEXT && options->form != form)
        return "--json or --prom, not both";
    options->form = form;
    return NULL;
}

const char *cua_status_take(struct cua_status_options *options, int option, const char *value)
{
    struct cua_overrides *overrides = &options->overrides;
    struct cua_version version;

    switch (option) {
    case 's':
        options->sysroot = value;
        return NULL;
    case 'k':
        overrides->kmd = value;
        overrides->mounted = true;
        return cua_version_of_driver(&version, value) ? NULL
                                                      : "--kmd is a driver version like 535.161.07";
    case 'g':
        overrides->gpu = options->gpu;
        return add(options->gpu, &overrides->gpu_count, cua_gpu_name(value));
    default:
        overrides->cc = options->cc;
        return cua_cc_parse(value) ? add(options->cc, &overrides->cc_count, value)
                                   : "--cc is a compute capability like 8.9";
    }
}

/* Stores one option. Returns NULL, or what is wrong with it. */
static const char *take(struct options *options, int option, char *value)
{
    struct cua_overrides *overrides = &options->machine.overrides;

    switch (option) {
    case 'j':
        return set_form(options, CUA_FORM_JSON);
    case 'P':
        return set_form(options, CUA_FORM_PROM);
    case 'p':
        options->machine.pid = (pid_t)cua_option_number(value, 1, INT_MAX);
        return options->machine.pid < 0 ? "--pid is the number of a process" : NULL;
    case 'y':
        options->policy = cua_policy_find(value);
        return options->policy < 0 ? "--policy is " CUA_POLICY_WORDS : NULL;
    case 't':
        overrides->toolkit = value;
        return cua_cuda_parse(value) ? NULL : "--toolkit is a CUDA version like 12.4";
    case 'm':
        options->mounted = true;
        return NULL;
    case 'u':
        options->unmounted = true;
        return NULL;
    case 'f':
        options->program = value;
        return NULL;
    case 'o':
        options->output = value;
        return NULL;
    case 'v':
        overrides->visible = value;
        return NULL;
    case 'e':
        return cua_option_env(&options->machine.env, value);
    default:
        return cua_status_take(&options->machine, option, value);
    }
}

/* Parses the options. Returns the exit code, or -1 to continue. */
static int parse(struct options *options, int argc, char **argv)
{
    struct cua_overrides *overrides = &options->machine.overrides;
    int option, code = 0;

    options->policy = -1;
    while ((option = cua_option(&cua_verb_status, argc, argv, false, &code)) != -1) {
        const char *wrong = option == CUA_OPTION_DONE ? NULL : take(options, option, optarg);
        if (option == CUA_OPTION_DONE)
            return code;
        if (wrong)
            return cua_usage_value(&cua_verb_status, optarg, wrong);
    }
    if (optind != argc)
        return cua_usage(&cua_verb_status, "it takes options only");
    if (overrides->cc_count > overrides->gpu_count && overrides->gpu_count)
        return cua_usage(&cua_verb_status, "more --cc than --gpu");
    if ((options->mounted || options->unmounted) && !overrides->kmd)
        return cua_usage(&cua_verb_status, "--mounted and --unmounted need --kmd");
    overrides->mounted &= !options->unmounted;
    if (options->machine.pid && options->program)
        return cua_usage(&cua_verb_status, "--pid or --program, not both");
    if (options->machine.pid && options->machine.sysroot)
        return cua_usage(&cua_verb_status, "--pid or --sysroot, not both");
    if (options->machine.env.count && !options->machine.sysroot)
        return cua_usage(&cua_verb_status, "--env needs --sysroot");
    return options->output && cua_output_to(options->output) ? CUA_EXIT_USAGE : -1;
}

static bool set_root(struct cua_subject *subject, const char *sysroot, char *real)
{
    struct stat st;

    if (!realpath(sysroot, real) || cua_stat(real, &st) != 0) {
        cua_complain(sysroot, "%s", strerror(errno));
        return false;
    }
    if (!S_ISDIR(st.st_mode)) {
        cua_complain(sysroot, "is not a folder; --sysroot takes the root of an unpacked image");
        return false;
    }
    subject->sysroot = strcmp(real, "/") == 0 ? "" : real;
    return true;
}

static bool look_at(struct cua_report *report, pid_t pid)
{
    char what[32];

    int err = cua_subject_of_process(&report->subject, pid);
    if (!err) {
        err = cua_running_read(&report->process, &report->subject);
        report->looked = true;
    }
    if (err) {
        snprintf(what, sizeof(what), "process %ld", (long)pid);
        cua_complain(what, "%s", strerror(-err));
    }
    return !err;
}

/* Sets report->subject, the process that is examined: that of --pid, one of an image, or this one.
 * `real` (PATH_MAX bytes) receives the path of an image, and must live as long as the report. False
 * after an error message. */
static bool make_subject(struct cua_report *report, const struct cua_status_options *options,
                         char *real)
{
    struct cua_subject *subject = &report->subject;
    const struct cua_overrides *overrides = &options->overrides;

    subject->sysroot = cua_site_sysroot(getenv(CUA_ENV_SYSROOT));
    subject->library_path = getenv("LD_LIBRARY_PATH");
    report->settings.library_path = subject->library_path;
    report->settings.home = cua_home_folder();
    if (options->pid)
        return look_at(report, options->pid);
    subject->whatif = options->sysroot || overrides->kmd || overrides->mounted ||
                      overrides->gpu_count || overrides->cc_count || overrides->visible;
    if (options->sysroot) {
        if (!set_root(subject, options->sysroot, real))
            return false;
        if (options->env.count) {
            subject->env = options->env.list;
            subject->library_path = cua_subject_env(subject, "LD_LIBRARY_PATH");
            report->process.preload = cua_subject_env(subject, "LD_PRELOAD");
        }
        cua_preload_file(subject, report->process.preload_file,
                         sizeof(report->process.preload_file));
        return true;
    }
    report->looked = cua_running_read(&report->process, subject) == 0;
    return true;
}

bool cua_status_of(struct cua_report *report, const struct cua_status_options *options,
                   const char *libcuda)
{
    static char real[PATH_MAX];

    if (!make_subject(report, options, real))
        return false;
    cua_report_policy(report, -1);
    if (libcuda) {
        report->policy.kind = CUA_POLICY_AUTO;
        report->policy.disabled = false;
        if (options->sysroot
                ? !cua_copy(report->policy.libcuda, sizeof(report->policy.libcuda), libcuda)
                : !realpath(libcuda, report->policy.libcuda)) {
            cua_complain(libcuda, "%s", strerror(options->sysroot ? ENAMETOOLONG : errno));
            return false;
        }
    }
    cua_report_make(report, &options->overrides);
    return true;
}

bool cua_status_here(struct cua_report *report)
{
    /* Not const: a constant would be a page of zeros in a read-only segment. The OCI hook checks
     * this executable, and takes such a page for damage. */
    static struct cua_status_options nothing;

    return cua_status_of(report, &nothing, NULL);
}

static void print(const struct cua_report *report, enum form form)
{
    switch (form) {
    case CUA_FORM_TEXT:
        cua_report_text(report);
        break;
    case CUA_FORM_JSON:
        cua_jsonout_open(NULL, '{');
        cua_report_json(report);
        cua_jsonout_close('}');
        break;
    case CUA_FORM_PROM:
        cua_report_prom(report);
        break;
    }
}

static int run(int argc, char **argv)
{
    static struct options options;
    static struct cua_report report;
    char real[PATH_MAX];
    int code = parse(&options, argc, argv), error;

    if (code >= 0)
        return code;
    if (!make_subject(&report, &options.machine, real)) {
        code = options.machine.pid ? CUA_EXIT_UNKNOWN : CUA_EXIT_USAGE;
        goto out;
    }
    if (options.program && (error = cua_report_program(&report, options.program)) != 0) {
        cua_complain(options.program, "%s",
                     options.machine.sysroot && options.program[0] != '/'
                         ? "with --sysroot, --program takes an absolute path"
                     : error == -ENOEXEC ? "not a program or library that can be loaded here"
                                         : strerror(-error));
        code = CUA_EXIT_USAGE;
        goto out;
    }
    cua_report_policy(&report, options.policy);
    cua_report_make(&report, &options.machine.overrides);
    if (options.machine.overrides.cc_count > report.facts.gpu_count) {
        code = cua_usage(&cua_verb_status, "more --cc than GPUs: name each GPU with --gpu");
        goto out;
    }
    /* The usual help for these two reasons is for this machine: mount /proc, or start the container
     * with the GPU. For a machine that options describe (a what-if), the user must name the kernel
     * driver. */
    if (report.subject.whatif && !options.machine.overrides.kmd &&
        (report.verdict.reason == CUA_REASON_KMD_UNKNOWN ||
         report.verdict.reason == CUA_REASON_NO_DRIVER))
        snprintf(report.words.help, sizeof(report.words.help),
                 "Name the kernel driver of that machine: --kmd VERSION.");
    print(&report, options.form);
    code = cua_report_exit(&report);
out:
    cua_report_free(&report);
    if (options.machine.pid)
        cua_subject_release(&report.subject);
    return code;
}

const struct cua_verb cua_verb_status = {
    .name = "status",
    .run = run,
};
