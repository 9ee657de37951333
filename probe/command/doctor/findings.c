/* SPDX-License-Identifier: Apache-2.0 */
#include "command/doctor/findings.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuarbiter/names.h"
#include "base/text.h"
#include "command/code/judge.h"
#include "command/code/scan.h"
#include "command/code/target.h"
#include "command/cuda_error.h"
#include "command/driver/suit.h"
#include "cli/home.h"
#include "cli/jsonout.h"
#include "cli/layout.h"
#include "command/status/status.h"
#include "cli/verb.h"

#define INDENT           14
#define CUA_SILENT_SHOWN 20

static void row(const char *label, const char *format, ...) __attribute__((format(printf, 2, 3)));

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

static bool has_libcuda(const struct cua_seen *seen)
{
    for (size_t i = 0; i < seen->file_count; i++)
        if (is_libcuda(seen->files[i]))
            return true;
    return false;
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
    if (!has_libcuda(seen))
        return;
    for (size_t i = 0; i < seen->init_count; i++) {
        print_code("cuInit", seen->inits[i].code);
        if (seen->init_count > 1)
            row("", "of %s", seen->inits[i].file);
    }
    if (!seen->init_count)
        row("cuInit",
            seen->watched ? "was not called" : "could not be watched, so its answer is not known");
}

/* Whether a process is a trial of a driver: it runs the command `cuarbiter`, which the answerer
 * starts to call a driver's cuInit. */
static bool is_trial(const struct cua_seen *seen)
{
    const char *name = strrchr(seen->program, '/');
    return name && !strcmp(name + 1, CUA_FILE_COMMAND);
}

/* Whether the first libcuda that the process has mapped is another file than `chosen`. False if it
 * has mapped none, or if `chosen` is NULL. */
static bool has_other(const struct cua_seen *seen, const struct cua_umd *chosen)
{
    char real[PATH_MAX];

    for (size_t i = 0; chosen && i < seen->file_count; i++)
        if (is_libcuda(seen->files[i]) && realpath(seen->files[i], real))
            return strcmp(real, chosen->real) != 0;
    return false;
}

/* Explains why the shim has logged nothing about a process that has mapped it. Either the request
 * for libcuda bypassed the shim, or `cuarbiter status` gives the reason. */
static void print_idle(const char *label, const struct cua_seen *seen)
{
    static struct cua_report report;

    if (!cua_status_here(&report))
        row(label, "cuarbiter changed nothing");
    else if (report.policy.kind == CUA_POLICY_AUTO && has_other(seen, report.verdict.chosen))
        row(label,
            "the request for libcuda bypassed cuarbiter, which would have chosen %s: either "
            "another library intercepts dlopen (UCX does with UCX_MEM_MMAP_HOOK_MODE=reloc; set it "
            "to bistro), or the program calls libc's own dlopen (docs/limits.md)",
            report.verdict.chosen->path);
    else
        row(label, "cuarbiter changed nothing. %s%s%s", report.words.explanation,
            report.words.help[0] ? " What to do: " : "", report.words.help);
    cua_report_free(&report);
    memset(&report, 0, sizeof(report));
}

/* Fills in the GPU and driver for which GPU code is judged: the visible GPU with the highest
 * compute capability, and the libcuda that the process mapped last. All zero if `cuarbiter status`
 * cannot gather its facts. */
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

/* Examines the GPU code of the program and of its libraries. Calls `take` for each file in which
 * some code modules fail with CUDA's error 222 or 200 on the driver that the process got. The
 * argument `text` says how many fail and how many can run. */
static void each_against(const struct cua_seen *seen,
                         void (*take)(const char *path, const char *text))
{
    struct cua_code_target target;
    char text[PATH_MAX + 128];

    target_of(&target, seen);
    for (size_t i = 0; i <= seen->map_count; i++) {
        const char *path = i ? seen->maps[i - 1] : seen->program;
        struct cua_code code = {.path = path, .targets = &target, .count = 1};
        if (!cua_code_scan(&code, cua_subject_open(&cua_here, path)))
            continue;
        const unsigned long *end = code.result->end;
        if (end[CUA_CODE_222] + end[CUA_CODE_200]) {
            snprintf(
                text, sizeof(text),
                "of %lu GPU code modules %lu fail with error 222 and %lu with 200, %lu can run: %s",
                code.modules, end[CUA_CODE_222], end[CUA_CODE_200], end[CUA_CODE_SERVES], path);
            take(path, text);
        }
        cua_code_free(&code);
    }
}

static void print_against(const char *path, const char *text)
{
    (void)path;
    row("GPU code", "%s", text);
}

static void print_process(const struct cua_seen *seen, const char *blind)
{
    fprintf(stderr, "%s %ld%s%s\n",
            is_trial(seen) ? "cuarbiter's own trial of a driver, process" : "process", seen->pid,
            *seen->program ? ": " : "", cua_shown(seen->program));
    print_files(seen, true);
    if (!blind && !has_libcuda(seen))
        row("libcuda", "none was loaded");
    print_files(seen, false);
    const char *label = "why";
    for (size_t i = 0; i < seen->line_count; i++) {
        row(label, "%s", seen->lines[i]);
        label = "";
    }
    if (!blind && !seen->shim && !is_trial(seen))
        row(label,
            "cuarbiter is not loaded in this program: the program has raised privileges (setuid) "
            "or cannot open libcuarbiter.so, or something removed LD_PRELOAD from the "
            "environment");
    else if (!seen->line_count && seen->shim)
        print_idle(label, seen);
    print_inits(seen, blind);
    if (!is_trial(seen))
        each_against(seen, print_against);
}

static bool matters(const struct cua_seen *seen)
{
    return (has_libcuda(seen) || seen->line_count) && !seen->again;
}

/* Whether the audit module has reported the start of this program. Only the base names are
 * compared: the module reports the path as the process sees it, which in a container or chroot may
 * differ from `watched->program`. */
static bool has_reported(const struct cua_seen_all *all, const struct cua_watched *watched)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->seen[i].pid == watched->pid &&
            strcmp(cua_basename(all->seen[i].program), cua_basename(watched->program)) == 0)
            return true;
    return false;
}

/* Finds the next program that ran without cuarbiter, in watch->seen from index *at on. Such a
 * program has a reason in `why`, and the audit module did not report its start. Of the programs
 * with the same path and reason, returns only the first, and sets *more to the number of the
 * others. Returns NULL after the last program. */
static const struct cua_watched *
next_silent(const struct cua_seen_all *all, const struct cua_watch *watch, size_t *at, size_t *more)
{
    for (; *at < watch->count; ++*at) {
        const struct cua_watched *watched = &watch->seen[*at];
        bool before = false;

        if (watched->why == CUA_REACHABLE || has_reported(all, watched))
            continue;
        *more = 0;
        for (size_t i = 0; i < watch->count; i++) {
            const struct cua_watched *other = &watch->seen[i];
            if (i != *at && other->why == watched->why &&
                strcmp(other->program, watched->program) == 0 && !has_reported(all, other)) {
                before |= i < *at;
                ++*more;
            }
        }
        if (before)
            continue;
        ++*at;
        return watched;
    }
    return NULL;
}

static size_t print_silent(const struct cua_seen_all *all, const struct cua_watch *watch)
{
    const struct cua_watched *watched;
    size_t at = 0, more = 0, shown = 0;

    for (; (watched = next_silent(all, watch, &at, &more)); shown++) {
        if (shown == CUA_SILENT_SHOWN) {
            fputs("There were more programs without cuarbiter: --json names all of them.\n",
                  stderr);
            return shown;
        }
        fprintf(stderr, "process %ld: %s", (long)watched->pid, cua_shown(watched->program));
        if (more)
            fprintf(stderr, ", and %zu more like it", more);
        fputc('\n', stderr);
        row("why", "cuarbiter was not loaded: %s", cua_unreached_words(watched->why));
    }
    return shown;
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
    const char *head = "CUDA errors in the command's output:\n";
    char bring[512];

    for (size_t i = 0; i < cua_cuda_error_count; i++) {
        int code = cua_cuda_errors[i].code;
        if (!scan->found[i] || (!blind && was_shown(all, code)))
            continue;
        fputs(head, stderr);
        head = "";
        print_code("", code);
        if (code == 35 && cua_suit_after_35(bring, sizeof(bring)))
            row("", "On this machine: %s", bring);
    }
    if (!scan->undefined_symbol)
        return;
    fputs(head, stderr);
    row("", "\"undefined symbol: cu...\": the loaded libcuda is older than the program needs, or a "
            "link stub. A newer driver, or a real libcuda instead of the stub, has that function.");
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

/* Writes the member "bring": which driver could be added against error 35. Null if the command did
 * not print that error, or if the CUDA of the kernel driver's own libcuda is not known. */
static void bring_json(const struct cua_error_scan *scan)
{
    static struct cua_suit suit;
    bool too_old = false;

    for (size_t i = 0; i < cua_cuda_error_count; i++)
        too_old |= cua_cuda_errors[i].code == 35 && scan->found[i];
    cua_suit_json(too_old && cua_suit_for_35(&suit) ? &suit : NULL);
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

static void silent_json(const struct cua_seen_all *all, const struct cua_watch *watch,
                        const char *blind)
{
    cua_jsonout_open("without", '[');
    for (size_t i = 0; !blind && i < watch->count; i++) {
        const struct cua_watched *watched = &watch->seen[i];
        if (watched->why == CUA_REACHABLE || has_reported(all, watched))
            continue;
        cua_jsonout_open(NULL, '{');
        cua_jsonout_number("pid", watched->pid);
        cua_jsonout_string("program", watched->program);
        cua_jsonout_string("why", cua_unreached_words(watched->why));
        cua_jsonout_close('}');
    }
    cua_jsonout_close(']');
}

void cua_doctor_json(const struct cua_seen_all *all, const struct cua_error_scan *scan,
                     const struct cua_watch *watch, const char *blind, int exit_code)
{
    cua_jsonout_open(NULL, '{');
    cua_jsonout_number("schema", 1);
    cua_jsonout_text("blind", blind);
    cua_jsonout_open("processes", '[');
    for (size_t i = 0; i < all->count; i++)
        if (matters(&all->seen[i]))
            process_json(&all->seen[i]);
    cua_jsonout_close(']');
    silent_json(all, watch, blind);
    cua_jsonout_open("spoke_of", '[');
    for (size_t i = 0; i < cua_cuda_error_count; i++) {
        if (!scan->found[i])
            continue;
        cua_jsonout_open(NULL, '{');
        code_json(cua_cuda_errors[i].code);
        cua_jsonout_close('}');
    }
    cua_jsonout_close(']');
    bring_json(scan);
    cua_jsonout_bool("undefined_symbol", scan->undefined_symbol);
    cua_jsonout_bool("not_preloaded", scan->not_preloaded);
    cua_jsonout_number("exit", exit_code);
    cua_jsonout_close('}');
}

void cua_doctor_report(const struct cua_seen_all *all, const struct cua_error_scan *scan,
                       const struct cua_watch *watch, const char *blind, int exit_code)
{
    size_t shown = 0, silent = 0, without = 0;
    fputs("\ncuarbiter doctor\n", stderr);
    for (size_t i = 0; i < all->count; i++)
        if (matters(&all->seen[i])) {
            print_process(&all->seen[i], blind);
            shown++;
        } else {
            without += !all->seen[i].again;
        }
    if (!blind)
        silent = print_silent(all, watch);
    if (!shown && blind)
        fprintf(stderr, "No program asked cuarbiter for libcuda; %s\n", blind);
    else if (!shown && !silent && !all->count)
        fputs("No dynamically linked program was seen: in a static one LD_PRELOAD, and so "
              "cuarbiter, has no effect.\n",
              stderr);
    else if (without)
        fprintf(stderr, "%zu %s of the command opened no libcuda.\n", without,
                without == 1 ? "program" : "programs");
    print_errors(all, scan, blind != NULL);
    if (scan->not_preloaded)
        fprintf(stderr,
                "For at least one program ld.so could not open libcuarbiter.so, most likely "
                "because that program's user may not read its folder: chmod -R a+rX %s\n",
                cua_home_folder());
    fprintf(stderr, "The command ended with exit code %d.\n", exit_code);
}
