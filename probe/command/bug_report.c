/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter report`: collects, as Markdown, what a maintainer needs in order to understand a
 * problem on this machine. */
#include "command/bug_report.h"

#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "base/whole.h"
#include "cli/jsonout.h"
#include "cli/options.h"
#include "cli/output.h"
#include "command/status/report_json.h"
#include "command/status/report_text.h"
#include "command/status/status.h"
#include "command/trial.h"
#include "cuarbiter/names.h"
#include "trial/report.h"
#include "trial/trial.h"

#define FILE_MOST 4096u
#define TRIALS    8

/* The environment variables that are printed; a star at the end matches any ending. No others are
 * printed, because they may contain secrets. */
static const char *const names[] = {
    "CUARBITER_*",
    "CONDA_PREFIX",
    "CUDA_DEVICE_ORDER",
    "CUDA_DISABLE_PTX_JIT",
    "CUDA_HOME",
    "CUDA_MPS_PIPE_DIRECTORY",
    "CUDA_PATH",
    "CUDA_VERSION",
    "CUDA_VISIBLE_DEVICES",
    "LD_AUDIT",
    "LD_BIND_NOW",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "NVIDIA_DISABLE_REQUIRE",
    "NVIDIA_DRIVER_CAPABILITIES",
    "NVIDIA_REQUIRE_CUDA",
    "NVIDIA_VISIBLE_DEVICES",
    "NV_CUDA_COMPAT_PACKAGE",
};

static bool is_shown(const char *entry)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        size_t n = strcspn(names[i], "*");
        if (strncmp(entry, names[i], n) == 0 && (names[i][n] || entry[n] == '='))
            return true;
    }
    return false;
}

static void print_environment(void)
{
    puts("\n## Environment\n");
    for (char **entry = environ; entry && *entry; entry++)
        if (is_shown(*entry))
            printf("    %s\n", cua_shown(*entry));
    puts("    (other variables are left out)");
}

/* Prints the path of a file, and those of its lines that are not empty and begin with `prefix`.
 * Indents the lines as a Markdown code block, so that none of them is read as Markdown. Prints
 * nothing if the file cannot be read or is longer than FILE_MOST bytes. */
static void print_file(const char *path, const char *prefix)
{
    size_t size;
    char *text = cua_whole_file(path, FILE_MOST, &size), *rest = text, *line;

    if (!text)
        return;
    printf("\n%s\n\n", path);
    while ((line = strsep(&rest, "\n")))
        if (line[0] && cua_starts(line, prefix))
            printf("    %s\n", cua_shown(line));
    free(text);
}

static void print_system(void)
{
    puts("\n## System\n");
    printf("    glibc %s\n", gnu_get_libc_version());
    printf("    container: %s\n", access("/run/.containerenv", F_OK) == 0 ? "podman"
                                  : access("/.dockerenv", F_OK) == 0      ? "docker"
                                                                          : "no sign of one");
    print_file("/etc/os-release", "PRETTY_NAME=");
    print_file("/proc/version", "");
    print_file("/proc/driver/nvidia/version", "");
    print_file("/etc/ld.so.preload", "");
    print_file(CUA_FILE_SITE, "");
}

static void print_trial(const struct cua_report *report, const struct cua_umd *umd)
{
    struct cua_trial trial;
    bool taken = umd == report->verdict.chosen, alone = umd == report->facts.loader;

    printf("| `%s` | %s | %s | ", cua_shown(umd->path), umd->version.text,
           taken && alone ? "both"
           : taken        ? "cuarbiter"
           : alone        ? "the loader"
                          : "");
    fflush(stdout);
    int error = cua_try_now(&trial, &report->settings, umd->path, CUA_TIMEOUT_DEFAULT);
    if (error || trial.how != CUA_TRIAL_RAN)
        printf("none: %s", error ? cua_trial_why_not(error) : cua_shown(trial.trouble));
    else
        printf("%s %d %s", cua_trial_step_word(trial.step ? trial.step : CUA_STEP_INIT), trial.code,
               cua_shown(trial.name));
    if (!error && trial.devices >= 0)
        printf(" | %d |\n", trial.devices);
    else
        puts(" | |");
}

/* Prints the heading of the part about trials, with the machine's kernel driver and GPUs. */
static void print_machine(const struct cua_facts *facts)
{
    char day[16], cc[48];
    time_t now = time(NULL);

    strftime(day, sizeof(day), "%Y-%m-%d", gmtime(&now));
    printf("\n## What each driver answered on %s\n\nKernel driver %s\n", day,
           facts->kmd.version.text[0] ? facts->kmd.version.text : "of an unknown version");
    for (size_t i = 0; i < facts->gpu_count; i++) {
        const struct cua_gpu *gpu = &facts->gpus[i];
        snprintf(cc, sizeof(cc), ", compute capability %u.%u", gpu->cc / 10, gpu->cc % 10);
        printf("%s- %s%s%s\n", i ? "" : "\n", cua_shown(gpu->model), gpu->cc ? cc : "",
               gpu->visible ? "" : ", hidden");
    }
}

static void print_trials(const struct cua_report *report)
{
    const struct cua_facts *facts = &report->facts;
    unsigned left = TRIALS;

    if (facts->kmd.platform == CUA_PLATFORM_NONE || !facts->umds)
        return;
    print_machine(facts);
    puts("\n| libcuda | version | taken by | answer | devices |\n| --- | --- | --- | --- | --- |");
    for (const struct cua_umd *umd = facts->umds; umd && left; umd = umd->hh.next)
        if (umd->state == CUA_UMD_USABLE && umd->trusted && left--)
            print_trial(report, umd);
    puts("\nIf this machine has a GPU, this part can become an entry of docs/hardware.md.\nIn a "
         "clone, `scripts/gpu-check` also multiplies matrices on the GPU.");
}

static int run(int argc, char **argv)
{
    static struct cua_report report;
    const char *output = NULL;
    int option, code = 0;

    while ((option = cua_option(&cua_verb_report, argc, argv, false, &code)) != -1) {
        if (option == CUA_OPTION_DONE)
            return code;
        output = optarg;
    }
    if (optind < argc)
        return cua_usage(&cua_verb_report, "it takes options only");
    if (output && cua_output_to(output))
        return CUA_EXIT_USAGE;
    printf("# cuarbiter %s: report\n\n"
           "What did you run, what did you expect, what came instead?\n"
           "\n## Status\n\n```text\n",
           CUA_VERSION);
    if (!cua_status_here(&report))
        return CUA_EXIT_UNKNOWN;
    cua_report_text(&report);
    puts("```");
    print_trials(&report);
    print_system();
    print_environment();
    puts("\n## Status as JSON\n\n```json");
    cua_jsonout_open(NULL, '{');
    cua_report_json(&report);
    cua_jsonout_close('}');
    puts("```");
    cua_report_free(&report);
    return 0;
}

const struct cua_verb cua_verb_report = {
    .name = "report",
    .run = run,
};
