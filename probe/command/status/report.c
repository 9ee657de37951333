/* SPDX-License-Identifier: Apache-2.0 */
#include "command/status/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "base/text.h"
#include "cuarbiter/names.h"
#include "cli/verb.h"
#include "command/gpu_support.h"
#include "command/whatif.h"
#include "decide/loop.h"
#include "facts/toolkit.h"
#include "loader/loadable.h"
#include "loader/search.h"
#include "machine/policy.h"
#include "machine/settings.h"
#include "tables/tables.h"

bool cua_policy_of_subject(struct cua_policy *policy, const struct cua_subject *subject)
{
    const char *kind = cua_subject_env(subject, CUA_ENV_POLICY);
    const char *libcuda = cua_subject_env(subject, CUA_ENV_LIBCUDA);
    const char *minor = cua_subject_env(subject, CUA_ENV_MINOR);
    int found = kind ? cua_policy_find(kind) : -1;

    if (minor && cua_find(cua_minor_kinds, CUA_MINOR_KINDS, minor) >= 0)
        policy->minor = (enum cua_minor_kind)cua_find(cua_minor_kinds, CUA_MINOR_KINDS, minor);
    if (kind && *kind) {
        policy->kind = found < 0 ? CUA_POLICY_OFF : (enum cua_policy_kind)found;
        policy->from = "environment";
    }
    return (libcuda && libcuda[0] == '/' &&
            cua_copy(policy->libcuda, sizeof(policy->libcuda), libcuda)) ||
           (kind && *kind) || (minor && *minor);
}

/* The policy that the examined process's settings ask for. What this process's own environment sets
 * does not count, nor does the other's log, which would then be written. */
static void read_own_policy(struct cua_report *report)
{
    struct cua_settings site = report->settings;

    site.env = (char *[]){NULL};
    cua_policy_read(&report->own, &site);
    report->has_own = cua_policy_of_subject(&report->own, &report->subject);
}

void cua_report_policy(struct cua_report *report, int policy)
{
    if (report->subject.pid)
        read_own_policy(report);
    cua_policy_read(&report->policy, &report->settings);
    report->own.trial = report->policy.trial; /* what this command may do */
    report->own.trial_timeout = report->policy.trial_timeout;
    if (report->subject.env && !report->subject.pid) {
        /* With `status --env`, the settings in the image's environment count. The settings of this
         * environment and this machine do not. */
        report->policy = (struct cua_policy){.trial_timeout = CUA_TIMEOUT_DEFAULT};
        cua_policy_of_subject(&report->policy, &report->subject);
    }
    cua_policy_check(&report->policy, &report->subject);
    if (policy < 0)
        return;
    report->policy.kind = (enum cua_policy_kind)policy;
    report->policy.from = "--policy";
    report->policy.disabled = false;
}

int cua_report_program(struct cua_report *report, const char *file)
{
    bool own = cua_subject_is_own(&report->subject);

    if (own ? !realpath(file, report->program)
            : file[0] != '/' || !cua_copy(report->program, sizeof(report->program), file))
        return own ? -errno : -EINVAL;
    /* What follows would say of a file that cannot be read that it is not there. */
    int fd = cua_subject_open(own ? &cua_here : &report->subject, report->program);
    if (fd == -EACCES)
        return fd;
    if (fd >= 0)
        close(fd);
    report->brings =
        cua_loader_brings_libcuda(&report->subject, NULL, report->program, report->libcuda,
                                  cua_toolkit_counts, report->needed, NULL, NULL);
    return report->brings < 0 ? report->brings : 0;
}

/* If the report is about a program, checks whether each usable libcuda would load in that
 * program, and writes to umd->obstacle why not. One reason is that the file lacks functions that
 * the program needs, even if ld.so binds them only later. The rules check less: only files that
 * would replace the loader's choice, and only functions that ld.so binds while loading. */
static void find_obstacles(struct cua_report *report)
{
    const struct cua_binder binder = {.library = report->program, .now = true};

    for (struct cua_umd *umd = report->facts.umds; umd && report->program[0]; umd = umd->hh.next)
        if (umd->state == CUA_UMD_USABLE && umd->loads != CUA_LOADS_NO)
            cua_loadable(&report->subject, &binder, umd->real, "", umd->obstacle,
                         sizeof(umd->obstacle));
}

/* Gathers the facts that the rules did not ask for, because `status` shows them too. Runs no trial,
 * and does not ask NVML. */
static void gather_rest(struct cua_report *report, const struct cua_request *request)
{
    for (enum cua_fact fact = CUA_FACT_KMD; fact < CUA_FACT_BROUGHT; fact++)
        if (!report->facts.asked[fact])
            cua_gather(&report->facts, fact, &report->subject, &report->policy, request);
    cua_gather_brought(&report->facts, &report->subject, &report->settings, &report->policy);
}

/* If options name all visible GPUs, and the kernel driver supports none of them, changes the
 * verdict to "does not work". On a real machine this is not needed, because the driver lists only
 * GPUs that it supports. The rules do not make this check, because an error in a table must not
 * take a working driver away from a program. */
static void refuse_named(struct cua_report *report)
{
    const struct cua_facts *facts = &report->facts;
    const unsigned kmd = facts->kmd.platform == CUA_PLATFORM_LINUX ? facts->kmd.version.part[0] : 0;
    size_t refused = 0, visible = 0;
    char text[sizeof report->refused];

    for (size_t i = 0; i < facts->gpu_count; i++) {
        const struct cua_gpu *gpu = &facts->gpus[i];
        visible += gpu->visible;
        cua_gpu_refusal(text, sizeof text, facts->data, cua_starts(gpu->source, "--") ? gpu->cc : 0,
                        kmd, kmd);
        refused += gpu->visible && text[0];
        if (gpu->visible && text[0])
            cua_copy(report->refused, sizeof report->refused, text);
    }
    if (!refused || refused < visible || report->verdict.works != CUA_WORKS_YES) {
        report->refused[0] = '\0';
        return;
    }
    report->verdict.works = CUA_WORKS_NO;
    snprintf(report->words.explanation, sizeof report->words.explanation,
             "Every program fails with error 100 (no GPU): %s.", report->refused);
    snprintf(report->words.help, sizeof report->words.help, "Use a driver that supports this GPU.");
}

void cua_report_make(struct cua_report *report, const struct cua_overrides *overrides)
{
    const char *now = getenv("LD_BIND_NOW");
    struct cua_request request = {
        .loader = report->libcuda, .amend = cua_whatif, .data = overrides};

    if (report->program[0])
        request.binder = (struct cua_binder){.library = report->program, .now = now && now[0]};
    if (report->brings == 1)
        request.needed = (const char *const *)report->needed;
    else
        cua_loader_find(&report->subject, NULL, "libcuda.so.1", report->libcuda, NULL);
    cua_decide(&report->facts, &report->verdict, &report->subject, &report->settings,
               &report->policy, &request);
    gather_rest(report, &request);
    cua_words(&report->words, &report->verdict, &report->facts);
    refuse_named(report);
    report->minor = cua_decide_minor(&report->facts, &report->verdict, &report->subject,
                                     &report->policy, &request);
    find_obstacles(report);
    /* Does not predict the hook for a program that needs libcuda. The program's RPATH or RUNPATH
     * may precede ld.so's cache, which the hook changes. */
    if (report->brings != 1)
        cua_nvidia_hook_find(&report->hook, &report->facts, &report->subject);
    if (report->hook.file) {
        request.loader = report->hook.file->real;
        cua_decide(&report->hook_facts, &report->hook_verdict, &report->subject, &report->settings,
                   &report->policy, &request);
        for (enum cua_fact fact = CUA_FACT_KMD; fact < CUA_FACT_BROUGHT; fact++)
            if (!report->hook_facts.asked[fact])
                cua_gather(&report->hook_facts, fact, &report->subject, &report->policy, &request);
        request.loader = report->libcuda;
    }
    if (!report->has_own)
        return;
    cua_decide(&report->own_facts, &report->own_verdict, &report->subject, &report->settings,
               &report->own, &request);
    cua_words(&report->own_words, &report->own_verdict, &report->own_facts);
}

void cua_report_free(struct cua_report *report)
{
    cua_facts_free(&report->facts);
    cua_facts_free(&report->own_facts);
    cua_facts_free(&report->hook_facts);
    for (size_t i = 0; i < CUA_NEEDED; i++)
        free(report->needed[i]);
    if (report->looked)
        cua_running_free(&report->process);
}

bool cua_report_major(const struct cua_report *report, unsigned major, struct cua_verdict *verdict)
{
    struct cua_policy policy = report->policy;
    struct cua_facts facts = report->facts;

    if (facts.toolkit.kind > CUA_TOOLKIT_HINT || !facts.umds || report->refused[0])
        return false;
    facts.toolkit = (struct cua_toolkit){.kind = CUA_TOOLKIT_LEAST, .cuda = major * 1000};
    if (!cua_subject_is_own(&report->subject))
        policy.trial = CUA_TRIAL_NEVER;
    cua_rule(verdict, &facts, &policy);
    if (verdict->next == CUA_FACT_TRIAL) { /* take what the rules answer without a trial */
        policy.trial = CUA_TRIAL_NEVER;
        cua_rule(verdict, &facts, &policy);
    }
    return verdict->chosen != report->verdict.chosen || verdict->works != report->verdict.works;
}

const struct cua_umd *cua_report_brought(const struct cua_report *report, unsigned major)
{
    struct cua_facts facts = report->facts;
    struct cua_verdict verdict;
    const struct cua_umd *umd = NULL;

    if (facts.toolkit.kind > CUA_TOOLKIT_HINT || !facts.umds || report->refused[0])
        return NULL;
    facts.toolkit = (struct cua_toolkit){.kind = CUA_TOOLKIT_LEAST, .cuda = major * 1000};
    cua_rule(&verdict, &facts, &report->policy);
    if (verdict.next == CUA_FACT_TRIAL)
        umd = cua_facts_umd(&facts, &verdict.trial[0]);
    else if (verdict.reason == CUA_REASON_NEWER_BROUGHT)
        umd = verdict.chosen;
    return umd && cua_is_brought(umd) && umd != report->verdict.chosen ? umd : NULL;
}

unsigned cua_report_last_major(const struct cua_report *report)
{
    struct cua_version newest = {.part = {cua_data_newest_branch(report->facts.data)}};

    return cua_data_umd_cuda(report->facts.data, &newest) / 1000;
}

const char *cua_report_above(const struct cua_report *report)
{
    const struct cua_facts *facts = &report->facts;
    const unsigned newest = cua_data_newest_branch(facts->data);

    if (facts->kmd.platform == CUA_PLATFORM_LINUX && facts->kmd.version.part[0] > newest)
        return facts->kmd.version.text;
    for (const struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next)
        if (umd->version.part[0] > newest)
            return umd->version.text;
    return NULL;
}

const struct cua_umd *cua_report_newest(const struct cua_report *report)
{
    struct cua_policy policy = report->policy;
    struct cua_verdict verdict;
    const struct cua_umd *umd = NULL;

    if (policy.kind != CUA_POLICY_AUTO || policy.libcuda[0] || policy.trial == CUA_TRIAL_NEVER ||
        report->refused[0])
        return NULL;
    policy.kind = CUA_POLICY_NEWEST;
    cua_rule(&verdict, &report->facts, &policy);
    if (verdict.next == CUA_FACT_TRIAL)
        umd = cua_facts_umd(&report->facts, &verdict.trial[0]);
    else if (verdict.reason == CUA_REASON_POLICY_NEWEST)
        umd = verdict.chosen;
    return umd && umd != report->verdict.chosen ? umd : NULL;
}

int cua_report_hooked(const struct cua_report *report)
{
    const struct cua_facts *facts = report->hook.file ? &report->hook_facts : &report->facts;

    return facts->loader ? cua_judge_code(facts, facts->loader) : -1;
}

const struct cua_umd *cua_report_open(const struct cua_report *report)
{
    struct cua_verdict verdict;

    if (cua_subject_is_own(&report->subject) || !report->verdict.untried)
        return NULL;
    cua_rule(&verdict, &report->facts, &report->policy);
    return verdict.next == CUA_FACT_TRIAL ? cua_facts_umd(&report->facts, &verdict.trial[0]) : NULL;
}

int cua_report_exit(const struct cua_report *report)
{
    const struct cua_verdict *verdict = &report->verdict;

    if (verdict->reason == CUA_REASON_NO_DRIVER)
        return CUA_EXIT_NO_DRIVER;
    if (verdict->works == CUA_WORKS_YES)
        return CUA_EXIT_WORKS;
    return verdict->works == CUA_WORKS_NO ? CUA_EXIT_NONE : CUA_EXIT_UNKNOWN;
}

const char *cua_word_kind(enum cua_kind kind)
{
    static const char *const words[] = {"none", "native", "compat", "other", "brought"};

    return words[kind];
}

const char *cua_word_works(enum cua_works works)
{
    static const char *const words[] = {"unknown", "yes", "no"};

    return words[works];
}

bool cua_report_visible(const struct cua_report *report, char *text, size_t size)
{
    const struct cua_facts *facts = &report->facts;
    const char *given = cua_subject_env(&report->subject, "NVIDIA_VISIBLE_DEVICES");
    /* Only if no GPU was found, because a container can get GPUs in other ways than by this
     * variable. */
    bool none = facts->asked[CUA_FACT_GPUS] && given && facts->gpu_count == 0 &&
                (!*given || strcmp(given, "void") == 0 || strcmp(given, "none") == 0);

    if (none)
        snprintf(text, size, "NVIDIA_VISIBLE_DEVICES=%s: the container was given no GPU", given);
    else if (facts->gpus_closed)
        snprintf(text, size, "%s; %zu GPU%s not counted, because this process cannot open %s",
                 facts->visible_note, facts->gpus_closed, facts->gpus_closed == 1 ? " is" : "s are",
                 facts->gpus_closed == 1 ? "its device file" : "their device files");
    else
        snprintf(text, size, "%s", facts->visible_note);
    return none || facts->gpus_closed || facts->gpu_count;
}

const char *cua_report_through(const struct cua_report *report, unsigned number)
{
    const char *through[3] = {NULL};
    unsigned count = 0;

    if (cua_running_preloads(&report->process))
        through[count++] = "LD_PRELOAD";
    if (report->process.preload_file[0])
        through[count++] = "/etc/ld.so.preload";
    return number < count ? through[number] : NULL;
}

const struct cua_running_file *cua_report_shim(const struct cua_report *report,
                                               struct cua_ident_read *ident)
{
    const struct cua_running_file *shim =
        report->looked ? cua_running_find(&report->process, CUA_MAPPED_SHIM) : NULL;

    *ident = (struct cua_ident_read){.what = ""};
    if (shim && !shim->gone)
        cua_ident_read(&report->process.place, shim->path, ident);
    return shim;
}

/* Whether a file may be executed. The mode does not show a noexec mount, so access(2) is called
 * too. It gets a path in /proc/self/fd, because the file may lie below another root. */
static bool may_execute(int fd)
{
    char path[32];
    struct stat st;

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return cua_fstat(fd, &st) == 0 && st.st_mode & 0111 &&
           (access(path, X_OK) == 0 || errno != EACCES);
}

/* Whether the answerer belongs to a stranger: neither root, nor this user, nor the shim's owner.
 * The shim makes the same check before it starts the answerer, but for the user of its own
 * process. */
static bool is_strangers(const struct cua_subject *place, const char *answerer, const char *shim)
{
    struct stat st, own;

    return cua_subject_stat(place, answerer, &st) == 0 && st.st_uid && st.st_uid != geteuid() &&
           (cua_subject_stat(place, shim, &own) != 0 || own.st_uid != st.st_uid);
}

bool cua_report_shim_trouble(const struct cua_report *report, char *trouble, size_t size)
{
    const char nothing[] = "cuarbiter changes nothing";
    struct cua_ident_read own, other;
    char answerer[PATH_MAX];
    bool idle = true;
    const struct cua_running_file *shim = cua_report_shim(report, &own);
    const char *slash = shim ? strrchr(shim->path, '/') : NULL;

    trouble[0] = '\0';
    if (report->process.absent)
        snprintf(trouble, size, "cuarbiter %s: %s",
                 shim ? "does nothing here" : "is not in this process",
                 cua_unreached_words(report->process.absent));
    if (trouble[0])
        return true;
    if (!slash || shim->gone ||
        snprintf(answerer, sizeof(answerer), "%.*s/" CUA_FILE_ANSWERER, (int)(slash - shim->path),
                 shim->path) >= (int)sizeof(answerer))
        return false;
    int fd = cua_subject_open(&report->process.place, answerer);
    bool executable = fd >= 0 && may_execute(fd);
    if (fd >= 0)
        close(fd);
    cua_ident_read(&report->process.place, answerer, &other);
    bool strange = fd >= 0 && is_strangers(&report->process.place, answerer, shim->path);
    if (fd == -ENOENT)
        snprintf(trouble, size, "the file cuarbiter-answer is missing: %s (%s)", nothing, answerer);
    else if (fd < 0)
        snprintf(trouble, size, "%s: %s: %s", answerer, strerror(-fd), nothing);
    else if (strcmp(other.what, "answerer") != 0)
        snprintf(trouble, size, "%s is not cuarbiter's program: %s", answerer, nothing);
    else if (!executable)
        snprintf(trouble, size,
                 "%s cannot be executed (check its mode, and its mount for noexec): %s", answerer,
                 nothing);
    else if (strange)
        snprintf(trouble, size,
                 "%s and libcuarbiter.so belong to different users, so %s: give them one owner",
                 answerer, nothing);
    else if (strcmp(own.frame, other.frame) != 0)
        snprintf(trouble, size,
                 "%s is version %s, which does not fit this libcuarbiter.so, so %s: take all files "
                 "of cuarbiter from one build",
                 answerer, other.version, nothing);
    else
        idle = false;
    if (!idle && own.version[0] && strcmp(own.version, other.version) != 0)
        snprintf(trouble, size,
                 "%s is version %s, but libcuarbiter.so is version %s: take all files of cuarbiter "
                 "from one build",
                 answerer, other.version, own.version);
    return idle;
}

static bool is_brought(const struct cua_facts *facts, const struct cua_version *version)
{
    for (const struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next)
        if (cua_is_brought(umd) && cua_version_compare(&umd->version, version) == 0)
            return true;
    return false;
}

/* Takes back the archive that was found, because adding it would not help. */
static void drop(struct cua_suit *suit, const char *why)
{
    suit->package = NULL;
    cua_copy(suit->why, sizeof(suit->why), why);
}

bool cua_report_suit(const struct cua_report *report, struct cua_suit *suit)
{
    char why[128];

    if (report->verdict.reason != CUA_REASON_RUNTIME_TOO_NEW)
        return false;
    cua_suit_of(suit, &report->facts);
    if (suit->package && report->policy.unbrought)
        drop(suit, "the settings switch added drivers off: " CUA_ENV_DRIVERS
                   ", or drivers= in " CUA_FILE_SITE);
    else if (suit->package && report->policy.trial == CUA_TRIAL_NEVER)
        drop(suit, "an added driver is used only after a trial, and " CUA_ENV_TRIAL
                   "=never forbids trials");
    else if (suit->package && is_brought(&report->facts, &suit->package->version)) {
        snprintf(why, sizeof(why), "%s, which fits best, has been added already",
                 suit->package->version.text);
        drop(suit, why);
    }
    return true;
}
