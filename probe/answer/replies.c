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

/* A libcuda is mapped that is not the verdict's: two in one process break, so nothing is redirected
 * any more. */
static bool other_mapped(const struct cua_decision *d, const char *mapped)
{
    if (!mapped[0] || !d->verdict.chosen || cua_same_file(mapped, d->verdict.chosen->real))
        return false;
    cua_log(CUA_LOG_WARN, "mapped-other",
            "%s is mapped already, %s would be the right one: nothing is redirected", mapped,
            d->verdict.chosen->path);
    return true;
}

/* The file that the program would get by itself; false: none. A sysroot is not for what programs
 * load. */
static bool find_taken(const struct cua_question *q, const struct cua_subject *subject, char *taken)
{
    struct cua_requester *requester = malloc(sizeof(*requester));
    struct cua_subject plain = *subject;

    if (!requester)
        return false;
    plain.sysroot = "";
    cua_requester_mapped(requester, q->caller, q->name);
    bool found = cua_loader_find(&plain, requester, q->name, taken) == 0;
    free(requester);
    return found;
}

/* The same for libcuda, which the decision has searched just now as for a program without paths of
 * its own. Of one that was made earlier only what is mapped since is sure: a relative entry of
 * LD_LIBRARY_PATH leads elsewhere after a chdir, and ld.so's cache may be another. */
static bool find_taken_cuda(const struct cua_question *q, const struct cua_subject *subject,
                            const struct cua_decision *d, bool is_sure, char *taken)
{
    const struct cua_umd *umd = d->facts.umds;

    while (umd && !umd->loader_default)
        umd = umd->hh.next;
    if (!is_sure || !umd || subject->sysroot[0] || strcmp(q->name, "libcuda.so.1") != 0 ||
        cua_mapped_has_paths(q->caller))
        return find_taken(q, subject, taken);
    return cua_copy(taken, PATH_MAX, umd->real);
}

/* A name without a slash may lead another caller elsewhere, a relative one leads elsewhere after a
 * chdir. */
static bool leads_nowhere_else(const char *name)
{
    return name[0] == '/';
}

static void answer_cuda(const struct cua_question *q, const struct cua_subject *subject,
                        const struct cua_settings *settings, struct cua_paths *paths,
                        struct cua_answer *answer)
{
    const char *mapped = paths->mapped;
    char *taken = paths->taken;

    /* A probe whether libcuda is loaded: it is not, and nobody has to find out which it would be.
     */
    if (!mapped[0] && q->flags & RTLD_NOLOAD)
        return;
    bool is_sure = mapped[0] || !cua_decision_made();
    const struct cua_decision *d = cua_decision(subject, settings);
    if (cua_decision_off(d) || !d->verdict.chosen || other_mapped(d, mapped))
        return;
    bool found = find_taken_cuda(q, subject, d, is_sure, taken);
    if (found && cua_same_file(taken, d->verdict.chosen->real)) {
        answer->final = leads_nowhere_else(q->name);
        return;
    }
    if (found && cua_umd_is_foreign(d->facts.umds, taken)) {
        cua_log(CUA_LOG_INFO, "foreign", "%s is a libcuda of another maker: left alone", taken);
        return;
    }
    cua_log(CUA_LOG_INFO, "redirect", "%s is %s instead of %s", q->name, d->verdict.chosen->path,
            found ? taken : "nothing");
    rename_to(answer, CUA_RENAME, d->verdict.chosen->real);
}

static void answer_companion(const struct cua_question *q, const struct cua_asked *asked,
                             const struct cua_subject *subject, const struct cua_settings *settings,
                             struct cua_paths *paths, struct cua_answer *answer)
{
    char *folder = paths->folder, *file = paths->file, *taken = paths->taken;
    const char *mapped = paths->mapped;
    struct cua_version version = {0};

    const struct cua_decision *d = cua_decision(subject, settings);
    if (cua_decision_off(d))
        return;
    const struct cua_umd *umd = mapped[0] ? cua_umd_of_file(d->facts.umds, mapped) : NULL;
    if (!umd && !mapped[0])
        umd = d->verdict.chosen;
    if (umd) {
        version = umd->version;
        cua_umd_folder(umd, folder);
    } else if (mapped[0] && cua_folder_of(mapped, folder) != 0) {
        return;
    } else if (!mapped[0]) {
        return;
    }
    if (cua_asked_in_folder(asked, folder, &version, file) != 0)
        return;
    if (find_taken(q, subject, taken) && cua_same_file(taken, file)) {
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
    if (cua_decision_off(d) || d->facts.kmd.platform != CUA_PLATFORM_LINUX)
        return;
    const struct cua_version *kmd = &d->facts.kmd.version;
    if (cua_version_parse(&wanted, asked->version) > 0 && cua_version_compare(&wanted, kmd) != 0)
        return;
    if (cua_asked_bound(asked, subject, d->native, kmd, file) != 0 ||
        cua_other_mapped(q->name, file))
        return;
    bool found = find_taken(q, subject, taken);
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

    if (!cua_asked_parse(&asked, q->name))
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

/* Which of the mapped ones a library needs the shim sees by itself; what lies deeper, and where a
 * libcuda among it comes from, is asked then. */
void cua_reply_found(const struct cua_question *q, struct cua_answer *answer)
{
    struct cua_head head = {q->head, q->head_size, 0};
    /* A sysroot is not for what programs load. */
    struct cua_subject plain = {.sysroot = "", .env = q->env, .library_path = q->library_path};
    int fd = cua_loader_open(&plain, q->caller, q->name, &head);
    if (fd == -ENOENT) {
        answer->final = cua_loader_has(q->name);
        return;
    }
    answer->action = CUA_LOOK;
    answer->file = fd;
    answer->head_have = (uint32_t)head.have;
}

void cua_reply_brought(const struct cua_question *q, const struct cua_subject *subject,
                       const struct cua_settings *settings, struct cua_paths *paths,
                       struct cua_answer *answer)
{
    char *taken = paths->taken;
    struct cua_requester *requester = malloc(sizeof(*requester));
    struct cua_subject plain = *subject;

    if (!requester)
        return;
    plain.sysroot = "";
    cua_requester_mapped(requester, q->caller, q->name);
    int brings = cua_mapped_libcuda(paths->mapped) > 0
                     ? 0
                     : cua_loader_brings_libcuda(&plain, requester, q->name, true, taken);
    free(requester);
    if (brings == 0)
        answer->final = 1;
    if (brings != 1)
        return;
    const struct cua_decision *d = cua_decision(subject, settings);
    if (cua_decision_off(d) || !d->verdict.chosen)
        return;
    if (taken[0] &&
        (cua_same_file(taken, d->verdict.chosen->real) || cua_umd_is_foreign(d->facts.umds, taken)))
        return;
    cua_log(CUA_LOG_INFO, "brought", "%s needs libcuda: %s is loaded first instead of %s", q->name,
            d->verdict.chosen->path, taken[0] ? taken : "nothing");
    rename_to(answer, CUA_FIRST, d->verdict.chosen->real);
}

void cua_reply_linked(const struct cua_question *q, const struct cua_subject *subject,
                      const struct cua_settings *settings, struct cua_answer *answer)
{
    const struct cua_decision *d = cua_decision(subject, settings);
    if (cua_decision_off(d) || !d->verdict.chosen ||
        cua_same_file(q->name, d->verdict.chosen->real) ||
        cua_umd_is_foreign(d->facts.umds, q->name))
        return;
    cua_log(CUA_LOG_INFO, "exec",
            "the program is linked with libcuda: executed again with %s "
            "instead of %s",
            d->verdict.chosen->path, q->name);
    rename_to(answer, CUA_EXEC, d->verdict.chosen->real);
}
