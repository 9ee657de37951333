/* SPDX-License-Identifier: Apache-2.0 */
#include "answer/replies.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "answer/asked.h"
#include "decide/decision.h"
#include "loader/loader.h"
#include "machine/log.h"
#include "loader/mapped.h"
#include "base/text.h"
#include "base/version.h"
#include "facts/facts.h"
#include "loader/closure.h"

/* Paths given out, which only ever become more. */
struct given {
    struct given *next;
    char path[];
};
static struct given *_Atomic all_given;

const char *cua_give(const char *path)
{
    struct given *first = atomic_load(&all_given), *mine;

    for (const struct given *one = first; one; one = one->next)
        if (strcmp(one->path, path) == 0)
            return one->path;
    mine = malloc(sizeof(*mine) + strlen(path) + 1);
    if (!mine)
        return NULL;
    strcpy(mine->path, path);
    mine->next = first;
    while (!atomic_compare_exchange_weak(&all_given, &mine->next, mine))
        ;
    return mine->path;
}

static void rename_to(struct cua_answer *answer, enum cua_action action, const char *path)
{
    answer->path = cua_give(path);
    if (!answer->path)
        return;
    answer->action = action;
    answer->final = 1;
}

/* The name under which ld.so would have loaded it, for programs that look for libcuda.so.1 among
 * the names of what is loaded: the link beside the file, where it leads to it. */
static const char *name_of(const struct cua_umd *umd, char *buf)
{
    if (cua_join(buf, PATH_MAX, cua_umd_folder(umd, buf), "libcuda.so.1") &&
        cua_same_file(buf, umd->real))
        return buf;
    return umd->real;
}

static bool is_off(const struct cua_policy *policy)
{
    return !policy || policy->kind == CUA_POLICY_OFF || policy->disabled;
}

static const char *loaders_own(const struct cua_decision *d)
{
    return d->facts.loader ? d->facts.loader->path : "nothing";
}

/* Whether anything is changed at all; says what would be, where the policy is to report. */
static bool is_changed(const struct cua_decision *d, const char *name)
{
    if (!d || !d->ruling.chosen || d->ruling.chosen == d->facts.loader)
        return false;
    if (d->policy->kind != CUA_POLICY_REPORT)
        return true;
    cua_log(CUA_LOG_INFO, "report", "%s would be %s instead of %s", name, d->ruling.chosen->path,
            loaders_own(d));
    return false;
}

/* The file that `caller` would get by itself; false: none. A sysroot is not for what programs
 * load. */
static bool find_taken(const struct cua_question *q, const struct cua_subject *subject,
                       const char *name, char *taken)
{
    struct cua_requester *requester = malloc(sizeof(*requester));
    struct cua_subject plain = *subject;

    taken[0] = '\0';
    if (!requester)
        return false;
    plain.sysroot = "";
    cua_requester_mapped(requester, q->caller, name);
    bool found = cua_loader_find(&plain, requester, name, taken) == 0;
    free(requester);
    return found;
}

/* A name without a slash may lead another caller elsewhere, a relative one leads elsewhere after a
 * chdir. */
static bool leads_nowhere_else(const char *name)
{
    return name[0] == '/';
}

/* The decision for the libcuda that is mapped, however it came to be; that one stays. */
static const struct cua_decision *decision_for_mapped(const struct cua_subject *subject,
                                                      const struct cua_settings *settings,
                                                      const char *mapped)
{
    const struct cua_decision *d = cua_decision_for(mapped);

    return d ? d : cua_decision(subject, settings, mapped, false, NULL);
}

/* Two in one process break: whatever leads to another file is led to the mapped one, unless that is
 * not the right one; then nothing is redirected any more. */
static void answer_mapped(const struct cua_question *q, const struct cua_subject *subject,
                          const struct cua_settings *settings, struct cua_paths *paths,
                          struct cua_answer *answer)
{
    const struct cua_decision *d = decision_for_mapped(subject, settings, paths->mapped);

    if (!d || !d->ruling.chosen)
        return;
    if (!cua_same_file(paths->mapped, d->ruling.chosen->real)) {
        cua_log(CUA_LOG_WARN, "mapped-other",
                "%s is mapped already, %s would be the right one: nothing is redirected",
                paths->mapped, d->ruling.chosen->path);
        return;
    }
    if (find_taken(q, subject, q->name, paths->taken) && cua_same_file(paths->taken, paths->mapped))
        answer->final = leads_nowhere_else(q->name);
    else if (d->policy->kind != CUA_POLICY_REPORT &&
             (strchr(q->name, '/') || !cua_loader_has(q->name)))
        rename_to(answer, CUA_RENAME, paths->mapped);
}

static void answer_cuda(const struct cua_question *q, const struct cua_subject *subject,
                        const struct cua_settings *settings, struct cua_paths *paths,
                        struct cua_answer *answer)
{
    char *taken = paths->taken;
    bool by_path = strchr(q->name, '/'), found, development;

    /* A probe whether libcuda is loaded: it is not, and nobody has to find out which it would be.
     */
    if (!paths->mapped[0] && q->flags & RTLD_NOLOAD)
        return;
    if (paths->mapped[0]) {
        answer_mapped(q, subject, settings, paths, answer);
        return;
    }
    found = find_taken(q, subject, q->name, taken);
    development = !found && strcmp(q->name, "libcuda.so") == 0;
    if (development)
        find_taken(q, subject, "libcuda.so.1", taken);
    else if (!found && strcmp(q->name, "libcuda.so.1") != 0)
        return; /* what fails by itself shall fail */
    const struct cua_decision *d = cua_decision(subject, settings, taken, by_path, NULL);
    if (!is_changed(d, q->name) && !(development && d && d->ruling.chosen)) {
        answer->final = found && d && d->ruling.chosen && leads_nowhere_else(q->name);
        return;
    }
    cua_log(CUA_LOG_INFO, "redirect", "%s is %s instead of %s", q->name, d->ruling.chosen->path,
            loaders_own(d));
    rename_to(answer, CUA_RENAME, name_of(d->ruling.chosen, paths->file));
    answer->final = leads_nowhere_else(q->name);
}

/* The folder that companions come from, and the version of the driver there; false: nobody's. */
static bool find_home(const struct cua_question *q, const struct cua_subject *subject,
                      const struct cua_settings *settings, struct cua_paths *paths,
                      struct cua_version *version)
{
    const struct cua_decision *d;

    if (paths->mapped[0]) {
        d = cua_decision_for(paths->mapped);
        if (!d)
            return cua_folder_of(paths->mapped, paths->folder) == 0;
    } else {
        find_taken(q, subject, "libcuda.so.1", paths->taken);
        d = cua_decision(subject, settings, paths->taken, false, NULL);
    }
    if (!d || !d->ruling.chosen || d->policy->kind == CUA_POLICY_REPORT)
        return false;
    *version = d->ruling.chosen->version;
    cua_umd_folder(d->ruling.chosen, paths->folder);
    return true;
}

static void answer_companion(const struct cua_question *q, const struct cua_asked *asked,
                             const struct cua_subject *subject, const struct cua_settings *settings,
                             struct cua_paths *paths, struct cua_answer *answer)
{
    char *file = paths->file, *taken = paths->taken;
    const char *mapped = paths->mapped;
    struct cua_version version = {0};

    if (!find_home(q, subject, settings, paths, &version) ||
        cua_asked_in_folder(asked, paths->folder, &version, file) != 0)
        return;
    if (find_taken(q, subject, q->name, taken) && cua_same_file(taken, file)) {
        answer->final = mapped[0] != '\0' && leads_nowhere_else(q->name);
        return;
    }
    cua_log(CUA_LOG_INFO, "companion", "%s is %s", q->name, file);
    rename_to(answer, CUA_RENAME, file);
    answer->final = mapped[0] != '\0';
}

static void answer_bound(const struct cua_question *q, const struct cua_asked *asked,
                         const struct cua_subject *subject, const struct cua_settings *settings,
                         struct cua_paths *paths, struct cua_answer *answer)
{
    char *file = paths->file, *taken = paths->taken;
    struct cua_version wanted;

    const struct cua_decision *d = cua_decision_native(subject, settings);
    if (!d || d->policy->kind == CUA_POLICY_REPORT || d->facts.kmd.platform != CUA_PLATFORM_LINUX)
        return;
    const struct cua_version *kmd = &d->facts.kmd.version;
    if (cua_version_parse(&wanted, asked->version) > 0 && cua_version_compare(&wanted, kmd) != 0)
        return;
    if (cua_asked_bound(asked, subject, d->facts.native, kmd, file) != 0 ||
        cua_other_mapped(q->name, file))
        return;
    bool found = find_taken(q, subject, q->name, taken);
    if (found && cua_same_file(taken, file)) {
        answer->final = leads_nowhere_else(q->name);
        return;
    }
    if (found && cua_asked_foreign(asked, taken)) {
        cua_log(CUA_LOG_INFO, "foreign", "%s is of another maker: left alone", taken);
        return;
    }
    cua_log(CUA_LOG_INFO, "bound", "%s is the native driver's %s", q->name, file);
    rename_to(answer, CUA_RENAME, file);
    /* Programs that watch a machine outlive its driver. */
    answer->final = 0;
}

void cua_reply_named(const struct cua_question *q, const struct cua_subject *subject,
                     const struct cua_settings *settings, struct cua_paths *paths,
                     struct cua_answer *answer)
{
    struct cua_asked asked;

    if (!cua_asked_parse(&asked, q->name) || is_off(cua_policy_in_force(settings)))
        return;
    if (cua_mapped_libcuda(paths->mapped) == 0)
        paths->mapped[0] = '\0';
    switch (asked.kind) {
    case CUA_LIBRARY_CUDA:
        answer_cuda(q, subject, settings, paths, answer);
        break;
    case CUA_LIBRARY_COMPANION:
    case CUA_LIBRARY_EXACT:
        answer_companion(q, &asked, subject, settings, paths, answer);
        break;
    case CUA_LIBRARY_BOUND:
        answer_bound(q, &asked, subject, settings, paths, answer);
        break;
    }
}

bool cua_reply_brings(const struct cua_question *q, const struct cua_subject *subject,
                      const struct cua_settings *settings, struct cua_paths *paths,
                      struct cua_answer *answer)
{
    struct cua_requester *requester;
    struct cua_subject plain = *subject;

    if (is_off(cua_policy_in_force(settings)) || !(requester = malloc(sizeof(*requester))))
        return false;
    plain.sysroot = "";
    cua_requester_mapped(requester, q->caller, q->name);
    int brings = cua_mapped_libcuda(paths->mapped) > 0
                     ? 0
                     : cua_loader_brings_libcuda(&plain, requester, q->name, true, paths->taken,
                                                 paths->needed);
    free(requester);
    if (brings == 0)
        answer->final = 1;
    return brings == 1;
}

void cua_reply_brought(const struct cua_question *q, const struct cua_subject *subject,
                       const struct cua_settings *settings, struct cua_paths *paths,
                       struct cua_answer *answer)
{
    const struct cua_decision *d =
        cua_decision(subject, settings, paths->taken, false, (const char *const *)paths->needed);

    for (size_t i = 0; paths->needed[i]; i++)
        free(paths->needed[i]);
    if (!is_changed(d, q->name))
        return;
    cua_log(CUA_LOG_INFO, "brought", "%s needs libcuda: %s is loaded first instead of %s", q->name,
            d->ruling.chosen->path, loaders_own(d));
    rename_to(answer, CUA_FIRST, name_of(d->ruling.chosen, paths->file));
}

void cua_reply_linked(const struct cua_question *q, const struct cua_subject *subject,
                      const struct cua_settings *settings, struct cua_paths *paths,
                      struct cua_answer *answer)
{
    if (is_off(cua_policy_in_force(settings)))
        return;
    const struct cua_decision *d = cua_decision(subject, settings, q->name, false, NULL);
    if (!is_changed(d, "libcuda"))
        return;
    cua_log(CUA_LOG_INFO, "exec",
            "the program is linked with libcuda: executed again with %s "
            "instead of %s",
            d->ruling.chosen->path, q->name);
    rename_to(answer, CUA_EXEC, name_of(d->ruling.chosen, paths->file));
}
