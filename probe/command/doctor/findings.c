/* SPDX-License-Identifier: Apache-2.0 */
#include "command/doctor/findings.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuarbiter/names.h"
#include "command/code/scan.h"
#include "command/cuda_error.h"
#include "command/home.h"
#include "command/jsonout.h"
#include "command/layout.h"
#include "command/status/status.h"
#include "command/verb.h"

#define INDENT 14

static void row(const char *label, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A label and a text, wrapped; the label may be "". */
static void row(const char *label, const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    fprintf(stderr, "  %-*s", INDENT - 2, label);
    cua_layout_wrap_to(stderr, text, INDENT);
}

static bool is_libcuda(const char *file)
{
    const char *name = strrchr(file, '/');
    return !strncmp(name ? name + 1 : file, "libcuda.so", 10);
}

static void print_files(const struct cua_seen *seen, bool libcuda)
{
    const char *label = libcuda ? "libcuda" : "companions";
    for (size_t i = 0; i < seen->file_count; i++)
        if (is_libcuda(seen->files[i]) == libcuda) {
            row(label, "%s", seen->files[i]);
            label = "";
        }
}

static void print_code(const char *label, int code)
{
    const struct cua_cuda_error *error = cua_cuda_error_find(code);
    const char *meaning = error ? error->meaning : "";

    row(label, "%d %s%s%s", code, cua_cuda_error_name(code), *meaning ? ": " : "", meaning);
}

static void print_inits(const struct cua_seen *seen, const char *blind)
{
    if (blind) {
        row("cuInit", "%s", blind);
        return;
    }
    for (size_t i = 0; i < seen->init_count; i++) {
        print_code("cuInit", seen->inits[i].code);
        if (seen->init_count > 1)
            row("", "of %s", seen->inits[i].file);
    }
    if (!seen->init_count)
        row("cuInit", seen->watched ? "was not called"
                                    : "could not be watched: what it answered is not known");
}

/* The engine tries a driver by executing the command. */
static bool is_trial(const struct cua_seen *seen)
{
    const char *name = strrchr(seen->program, '/');
    return name && !strcmp(name + 1, CUA_FILE_COMMAND);
}

/* Whether one of these is a libcuda, and another one than the verdict's. */
static bool has_other(const struct cua_seen *seen, const struct cua_umd *chosen)
{
    char real[PATH_MAX];

    for (size_t i = 0; chosen && i < seen->file_count; i++)
        if (is_libcuda(seen->files[i]) && realpath(seen->files[i], real))
            return strcmp(real, chosen->real) != 0;
    return false;
}

/* A shim that did nothing logged nothing: `status` has the reason, or the request went past it. */
static void print_idle(const char *label, const struct cua_seen *seen)
{
    static struct cua_report report;

    if (!cua_status_here(&report))
        row(label, "the shim had nothing to do");
    else if (report.policy.kind == CUA_POLICY_AUTO && has_other(seen, report.verdict.chosen))
        row(label,
            "the request for libcuda did not reach the shim, which would have taken %s: "
            "another library is in between (as UCX does under "
            "UCX_MEM_MMAP_HOOK_MODE=reloc; set that to bistro), the program called libc's own "
            "dlopen, or it, or a library that it is linked with, has its own version of a function "
            "that cuarbiter calls (docs/limits.md)",
            report.verdict.chosen->path);
    else
        row(label, "the shim had nothing to do. %s%s%s", report.words.explanation,
            report.words.help[0] ? " What to do: " : "", report.words.help);
    cua_report_free(&report);
    memset(&report, 0, sizeof(report));
}

/* The GPU, and the driver that this process got. */
static void target_of(struct cua_code_target *target, const struct cua_seen *seen)
{
    static struct cua_report report;
    const struct cua_umd *driver = NULL;
    char real[PATH_MAX];

    *target = (struct cua_code_target){.cc = 0};
    if (cua_status_here(&report)) {
        for (size_t i = 0; i < seen->file_count; i++)
            if (is_libcuda(seen->files[i]) && realpath(seen->files[i], real))
                for (driver = report.facts.umds; driver && strcmp(driver->real, real) != 0;)
                    driver = driver->hh.next;
        cua_code_target_of(target, &report, driver);
    }
    cua_report_free(&report);
    memset(&report, 0, sizeof(report));
}

/* What was found against the program's GPU code and that of its libraries. */
static void each_against(const struct cua_seen *seen,
                         void (*take)(const char *path, const char *text))
{
    struct cua_code_target target;
    char text[PATH_MAX + 128];

    target_of(&target, seen);
    for (size_t i = 0; i <= seen->map_count; i++) {
        const char *path = i ? seen->maps[i - 1] : seen->program;
        struct cua_code code = {.path = path, .target = &target};
        cua_code_scan(&code, cua_subject_open(&cua_here, path));
        if (code.result >= CUA_CODE_PARTIAL) {
            snprintf(text, sizeof(text),
                     "of %lu modules %lu end in 222 and %lu in 200, %lu run or are compiled: %s",
                     code.modules, code.end[CUA_CODE_222], code.end[CUA_CODE_200],
                     code.end[CUA_CODE_SERVES], path);
            take(path, text);
        }
    }
}

static void print_against(const char *path, const char *text)
{
    (void)path;
    row("GPU code", "%s", text);
}

static void print_process(const struct cua_seen *seen, const char *blind)
{
    fprintf(stderr, "%s %ld%s%s\n", is_trial(seen) ? "trial by cuarbiter, process" : "process",
            seen->pid, *seen->program ? ": " : "", cua_shown(seen->program));
    print_files(seen, true);
    print_files(seen, false);
    const char *label = "why";
    for (size_t i = 0; i < seen->line_count; i++) {
        row(label, "%s", seen->lines[i]);
        label = "";
    }
    if (!blind && !seen->shim && !is_trial(seen))
        row(label, "the shim is not mapped in this program: raised privileges, or LD_PRELOAD was "
                   "taken out of its environment");
    else if (!seen->line_count && seen->shim)
        print_idle(label, seen);
    print_inits(seen, blind);
    if (!is_trial(seen))
        each_against(seen, print_against);
}

static bool matters(const struct cua_seen *seen)
{
    for (size_t i = 0; i < seen->file_count; i++)
        if (is_libcuda(seen->files[i]))
            return !seen->again;
    return seen->line_count && !seen->again;
}

static bool was_shown(const struct cua_seen_all *all, int code)
{
    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; matters(&all->seen[i]) && k < all->seen[i].init_count; k++)
            if (all->seen[i].inits[k].code == code)
                return true;
    return false;
}

static void print_errors(const struct cua_seen_all *all, const struct cua_error_scan *scan,
                         bool blind)
{
    const char *head = "The command's messages name\n";
    for (size_t i = 0; i < cua_cuda_error_count; i++) {
        int code = cua_cuda_errors[i].code;
        if (!scan->found[i] || (!blind && was_shown(all, code)))
            continue;
        fputs(head, stderr);
        head = "";
        print_code("", code);
    }
    if (!scan->undefined_symbol)
        return;
    fputs(head, stderr);
    row("", "\"undefined symbol: cu...\": the libcuda that is mapped is older than the program, or "
            "a link stub of another version; only a newer driver has that function.");
}

static void list_json(const char *key, char *const *list, size_t count)
{
    cua_jsonout_open(key, '[');
    for (size_t i = 0; i < count; i++)
        cua_jsonout_string(NULL, list[i]);
    cua_jsonout_close(']');
}

static void code_json(int code)
{
    const struct cua_cuda_error *error = cua_cuda_error_find(code);

    cua_jsonout_number("code", code);
    cua_jsonout_text("name", cua_cuda_error_name(code));
    cua_jsonout_text("meaning", error ? error->meaning : "");
}

static void against_json(const char *path, const char *text)
{
    cua_jsonout_open(NULL, '{');
    cua_jsonout_string("path", path);
    cua_jsonout_string("against", text);
    cua_jsonout_close('}');
}

static void process_json(const struct cua_seen *seen)
{
    cua_jsonout_open(NULL, '{');
    cua_jsonout_number("pid", seen->pid);
    cua_jsonout_text("program", seen->program);
    cua_jsonout_bool("trial", is_trial(seen));
    cua_jsonout_bool("shim", seen->shim);
    cua_jsonout_bool("watched", seen->watched);
    list_json("files", seen->files, seen->file_count);
    list_json("why", seen->lines, seen->line_count);
    cua_jsonout_open("cuInit", '[');
    for (size_t i = 0; i < seen->init_count; i++) {
        cua_jsonout_open(NULL, '{');
        code_json(seen->inits[i].code);
        cua_jsonout_text("file", seen->inits[i].file);
        cua_jsonout_close('}');
    }
    cua_jsonout_close(']');
    cua_jsonout_open("code", '[');
    if (!is_trial(seen))
        each_against(seen, against_json);
    cua_jsonout_close(']');
    cua_jsonout_close('}');
}

void cua_doctor_json(const struct cua_seen_all *all, const struct cua_error_scan *scan,
                     const char *blind, int exit_code)
{
    cua_jsonout_open(NULL, '{');
    cua_jsonout_number("schema", 1);
    cua_jsonout_text("blind", blind);
    cua_jsonout_open("processes", '[');
    for (size_t i = 0; i < all->count; i++)
        if (matters(&all->seen[i]))
            process_json(&all->seen[i]);
    cua_jsonout_close(']');
    cua_jsonout_open("spoke_of", '[');
    for (size_t i = 0; i < cua_cuda_error_count; i++) {
        if (!scan->found[i])
            continue;
        cua_jsonout_open(NULL, '{');
        code_json(cua_cuda_errors[i].code);
        cua_jsonout_close('}');
    }
    cua_jsonout_close(']');
    cua_jsonout_bool("undefined_symbol", scan->undefined_symbol);
    cua_jsonout_bool("not_preloaded", scan->not_preloaded);
    cua_jsonout_number("exit", exit_code);
    cua_jsonout_close('}');
}

void cua_doctor_report(const struct cua_seen_all *all, const struct cua_error_scan *scan,
                       const char *blind, int exit_code)
{
    size_t shown = 0;
    fputs("\ncuarbiter doctor\n", stderr);
    for (size_t i = 0; i < all->count; i++)
        if (matters(&all->seen[i])) {
            print_process(&all->seen[i], blind);
            shown++;
        }
    if (!shown && blind)
        fprintf(stderr, "No program asked the shim for libcuda; %s\n", blind);
    else if (!shown && !all->count)
        fputs("No program that ld.so started was seen: a static program takes no LD_PRELOAD.\n",
              stderr);
    else if (all->count > shown)
        fprintf(stderr, "%zu %s of the command opened no libcuda.\n", all->count - shown,
                all->count - shown == 1 ? "program" : "programs");
    print_errors(all, scan, blind != NULL);
    if (scan->not_preloaded)
        fprintf(stderr,
                "ld.so could not open the shim for one of them, most likely because its user may "
                "not read the folder: chmod -R a+rX %s\n",
                cua_home_folder());
    fprintf(stderr, "The command ended with %d.\n", exit_code);
}
