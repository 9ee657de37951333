/* SPDX-License-Identifier: Apache-2.0 */
#include "answer/replies.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "answer/requested_library.h"
#include "decide/decision.h"
#include "base/oldstat.h"
#include "base/text.h"
#include "loader/mapped.h"
#include "loader/search.h"
#include "machine/log.h"

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

static void rename_to(struct cua_work *work, enum cua_action action, const char *path)
{
    work->answer->path = path ? cua_give(path) : NULL;
    if (!work->answer->path)
        return;
    work->answer->action = action;
    work->answer->final = 1;
}

/* The name that ld.so would have used, because programs look for libcuda.so.1 among the names of
 * loaded objects: the link beside the file, if it leads there. NULL if the file is gone: a decision
 * may be old. */
static const char *name_of(const struct cua_umd *umd, char *buf)
{
    struct cua_umd_key key;
    struct stat st;

    if (cua_join(buf, PATH_MAX, cua_umd_folder(umd, buf), "libcuda.so.1") &&
        cua_stat(buf, &st) == 0) {
        key = cua_umd_key_of(&st);
        if (memcmp(&key, &umd->key, sizeof(key)) == 0 || cua_same_file(buf, umd->real))
            return buf;
    }
    return cua_same_file(umd->real, umd->real) ? umd->real : NULL;
}

static const char *loaders_own(const struct cua_decision *d)
{
    return d->facts.loader ? d->facts.loader->path : "nothing";
}

/* Whether anything is redirected. `development`: what was asked for leads nowhere by itself. */
static bool is_changed(const struct cua_decision *d, bool development)
{
    return d && d->verdict.chosen && d->policy->kind != CUA_POLICY_REPORT &&
           (development || d->verdict.chosen != d->facts.loader);
}

/* The file that the caller would get by itself, into `taken`; false: none. A sysroot is not for
 * what programs load. */
static bool find_taken(struct cua_work *work, const char *name)
{
    struct cua_subject plain = work->subject;

    plain.sysroot = "";
    cua_requester_mapped(&work->requester, work->q->caller, name);
    if (work->opened >= 0)
        close(work->opened);
    work->opened = -1;
    int error = cua_loader_find(&plain, &work->requester, name, work->taken, &work->opened);
    work->unsure |= error && error != -ENOENT;
    return error == 0;
}

/* A name without a slash may lead another caller elsewhere, a relative one leads elsewhere after a
 * chdir. */
static bool leads_nowhere_else(const struct cua_work *work)
{
    return work->q->name[0] == '/';
}

/* `library`: what brings libcuda in, NULL. For LINKED all that is mapped needs it. */
static const struct cua_decision *decide(struct cua_work *work, const char *loader, bool by_path,
                                         const char *library)
{
    const char *bind_now = cua_settings_env(&work->settings, "LD_BIND_NOW");
    const struct cua_request request = {
        .loader = loader,
        .opened = loader == work->taken ? &work->opened : NULL,
        .by_path = by_path,
        .needed = library ? (const char *const *)work->needed : NULL,
        .binder = {.requester = &work->requester,
                   .library = library,
                   .linked = work->q->ask == CUA_ASK_LINKED,
                   .now = work->q->flags & RTLD_NOW || (bind_now && bind_now[0])}};
    const struct cua_decision *d =
        work->unsure ? NULL : cua_decision(&work->subject, &work->settings, &request);

    if (!d)
        cua_log(CUA_LOG_INFO, "unsure",
                "%s is not redirected: which file it leads to could not be determined",
                work->q->name);
    return d;
}

/* Two libcudas in one process break, so every request gets the mapped one. If that is the wrong
 * one, nothing is redirected any more. */
static void answer_mapped(struct cua_work *work)
{
    const struct cua_decision *d = cua_decision_for(work->mapped);

    if (!d) { /* however it came to be mapped, it stays */
        cua_requester_mapped(&work->requester, work->q->caller, work->q->name);
        d = decide(work, work->mapped, false, NULL);
    }
    if (!d || !d->verdict.chosen || d->policy->kind == CUA_POLICY_REPORT)
        return;
    if (!cua_same_file(work->mapped, d->verdict.chosen->real)) {
        cua_log(CUA_LOG_WARN, "mapped-other",
                "%s is mapped already, %s would be the right one: nothing is redirected",
                work->mapped, d->verdict.chosen->path);
        return;
    }
    if (find_taken(work, work->q->name) && cua_same_file(work->taken, work->mapped))
        work->answer->final = leads_nowhere_else(work);
    else if (strchr(work->q->name, '/') || !cua_mapped_has(work->q->name))
        rename_to(work, CUA_RENAME, work->mapped);
}

static void answer_cuda(struct cua_work *work)
{
    bool by_path = strchr(work->q->name, '/'), found, development;

    if (work->mapped[0]) {
        answer_mapped(work);
        return;
    }
    /* The program asks whether it is loaded: which one it would be does not matter. */
    if (work->q->flags & RTLD_NOLOAD)
        return;
    found = find_taken(work, work->q->name);
    development = !found && strcmp(work->q->name, "libcuda.so") == 0;
    if (development)
        find_taken(work, "libcuda.so.1");
    else if (!found && strcmp(work->q->name, "libcuda.so.1") != 0)
        return; /* what fails by itself shall fail */
    const struct cua_decision *d = decide(work, work->taken, by_path, NULL);
    if (!is_changed(d, development)) {
        work->answer->final = found && d && d->verdict.chosen && leads_nowhere_else(work);
        return;
    }
    cua_log(CUA_LOG_INFO, "redirect", "%s is %s instead of %s, for all that is opened later too",
            work->q->name, d->verdict.chosen->path, loaders_own(d));
    rename_to(work, CUA_RENAME, name_of(d->verdict.chosen, work->file));
    work->answer->final = leads_nowhere_else(work);
}

/* Finds the companions' folder and driver version; false if no driver was chosen. */
static bool find_home(struct cua_work *work, struct cua_version *version)
{
    const struct cua_decision *d;

    if (work->mapped[0]) {
        d = cua_decision_for(work->mapped);
        if (!d)
            return cua_folder_of(work->mapped, work->folder) == 0;
    } else {
        find_taken(work, "libcuda.so.1");
        d = decide(work, work->taken, false, NULL);
    }
    if (!d || !d->verdict.chosen || d->policy->kind == CUA_POLICY_REPORT)
        return false;
    *version = d->verdict.chosen->version;
    cua_umd_folder(d->verdict.chosen, work->folder);
    return true;
}

static void answer_companion(struct cua_work *work, const struct cua_requested *request)
{
    struct cua_version version = {0};

    if (!find_home(work, &version) ||
        cua_requested_in_folder(request, work->folder, &version, work->file) != 0)
        return;
    bool same = find_taken(work, work->q->name) && cua_same_file(work->taken, work->file);
    if (!same) {
        cua_log(CUA_LOG_INFO, "companion", "%s is %s", work->q->name, work->file);
        rename_to(work, CUA_RENAME, work->file);
    }
    work->answer->final = work->mapped[0] && (!same || leads_nowhere_else(work));
}

static void answer_bound(struct cua_work *work, const struct cua_requested *request)
{
    char *file = work->file, *taken = work->taken;
    struct cua_version wanted;

    const struct cua_decision *d = cua_decision_native(&work->subject, &work->settings);
    if (!d || d->policy->kind == CUA_POLICY_REPORT || d->facts.kmd.platform != CUA_PLATFORM_LINUX)
        return;
    const struct cua_version *kmd = &d->facts.kmd.version;
    if (cua_version_parse(&wanted, request->version) > 0 && cua_version_compare(&wanted, kmd) != 0)
        return;
    if (cua_requested_bound(request, &work->subject, d->facts.native, kmd, file) != 0 ||
        cua_other_mapped(work->q->name, file))
        return;
    bool found = find_taken(work, work->q->name);
    if (found && cua_same_file(taken, file)) {
        work->answer->final = leads_nowhere_else(work);
        return;
    }
    if (work->unsure)
        return;
    if (found && cua_requested_foreign(request, taken)) {
        cua_log(CUA_LOG_INFO, "foreign", "%s is of another maker: left alone", taken);
        return;
    }
    cua_log(CUA_LOG_INFO, "bound", "%s is the native driver's %s", work->q->name, file);
    rename_to(work, CUA_RENAME, file);
    /* Programs that watch a machine outlive its driver. */
    work->answer->final = 0;
}

void cua_reply_named(struct cua_work *work)
{
    struct cua_requested request;

    if (!cua_requested_parse(&request, work->q->name))
        return;
    cua_mapped_libcuda(work->mapped);
    switch (request.kind) {
    case CUA_LIBRARY_CUDA:
        answer_cuda(work);
        break;
    case CUA_LIBRARY_COMPANION:
    case CUA_LIBRARY_EXACT:
        answer_companion(work, &request);
        break;
    case CUA_LIBRARY_BOUND:
        answer_bound(work, &request);
        break;
    }
}

bool cua_reply_brings(struct cua_work *work)
{
    struct cua_subject plain = work->subject;
    int brings = 0;

    plain.sysroot = "";
    cua_requester_mapped(&work->requester, work->q->caller, work->q->name);
    if (!cua_mapped_libcuda(work->mapped))
        brings = cua_loader_brings_libcuda(&plain, &work->requester, work->q->name, work->taken,
                                           work->needed, NULL, NULL);
    if (brings == 0)
        work->answer->final = 1;
    return brings == 1;
}

void cua_reply_brought(struct cua_work *work)
{
    const char *library = cua_give(work->q->name);

    work->unsure |= !library;
    const struct cua_decision *d = decide(work, work->taken, false, library);

    for (size_t i = 0; work->needed[i]; i++)
        free(work->needed[i]);
    if (!is_changed(d, false))
        return;
    cua_log(CUA_LOG_INFO, "brought", "%s needs libcuda: %s is loaded first instead of %s",
            work->q->name, d->verdict.chosen->path, loaders_own(d));
    rename_to(work, CUA_FIRST, name_of(d->verdict.chosen, work->file));
}

void cua_reply_linked(struct cua_work *work)
{
    cua_requester_mapped(&work->requester, NULL, work->q->name);
    const struct cua_decision *d = decide(work, work->q->name, false, NULL);
    if (!is_changed(d, false))
        return;
    cua_log(CUA_LOG_INFO, "exec",
            "the program is linked with libcuda: executed again with %s "
            "instead of %s",
            d->verdict.chosen->path, work->q->name);
    rename_to(work, CUA_EXEC, name_of(d->verdict.chosen, work->file));
}
