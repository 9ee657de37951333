/* SPDX-License-Identifier: Apache-2.0 */
/* A request is redirected if the shim (the preloaded library) is to open another file than ld.so
 * would. The chosen libcuda is the one that the rules (rules/) decide on; under the policy `report`
 * they decide, but nothing is redirected. A companion is a library that libcuda opens itself, such
 * as the PTX compiler; a bound library talks to the kernel driver itself, as NVML does
 * (libraries.h). A row is the part of an answer about one library (table.h). */
#include "answer/replies.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/requested_library.h"
#include "answer/table.h"
#include "decide/decision.h"
#include "facts/native.h"
#include "facts/toolkit.h"
#include "base/oldstat.h"
#include "base/text.h"
#include "drivers/part.h"
#include "loader/mapped.h"
#include "loader/search.h"
#include "machine/log.h"

/* Whether a search list has an entry that is not an absolute path. Such an entry depends on the
 * current folder, which the program may change before the next request. */
static bool is_relative(const char *list)
{
    for (const char *entry = list; entry && *entry; entry = strpbrk(entry, ":;")) {
        entry += entry != list;
        if (*entry != '/')
            return true;
    }
    return false;
}

/* Whether the same request of this caller will lead to the same file later. A relative path may
 * lead elsewhere after a chdir, and so may a name that is searched in a relative folder. */
static bool leads_nowhere_else(const struct cua_work *work)
{
    if (strchr(work->asked->name, '/'))
        return work->asked->name[0] == '/';
    return !is_relative(work->requester.list) && !is_relative(work->subject.library_path);
}

static void rename_to(struct cua_work *work, enum cua_action action, const char *path)
{
    if (!path || !cua_copy(work->answer.path, sizeof(work->answer.path), path))
        return;
    work->answer.action = action;
    work->answer.keep = leads_nowhere_else(work);
}

/* Returns the path by which the shim is to open the chosen file. This is libcuda.so.1 in the file's
 * folder if that leads to the file, because programs look for this name among the loaded objects.
 * Otherwise it is the file's own path. NULL if the file is gone: an earlier answerer may have
 * chosen it long ago. */
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

static const char *kind_of(const struct cua_umd *chosen)
{
    return cua_is_brought(chosen) ? " (added by 'cuarbiter driver add')" : "";
}

static const char *loaders_own(const struct cua_decision *d)
{
    return d->facts.loader ? d->facts.loader->path : "nothing";
}

/* Whether the decision redirects the request. `development`: the request is for libcuda.so, the
 * name for linking, and ld.so finds no such file. Then every chosen file redirects the request,
 * even the one that ld.so would take for libcuda.so.1. */
static bool is_changed(const struct cua_decision *d, bool development)
{
    return d && d->verdict.chosen && d->policy->kind != CUA_POLICY_REPORT &&
           (development || d->verdict.chosen != d->facts.loader);
}

/* Returns a remark for the log: that libraries linked with the name "libcuda.so" still get another
 * libcuda. ld.so compares names, so a file that is mapped as libcuda.so.1 does not serve them. ""
 * if "libcuda.so" leads to the chosen file or to none, or if the log does not show the level
 * info. */
static const char *other_name(struct cua_work *work, const struct cua_umd *chosen)
{
    struct cua_subject plain = work->subject;

    plain.sysroot = "";
    work->folder[0] = 0;
    if (!cua_log_wanted(CUA_LOG_INFO) ||
        cua_loader_find(&plain, &work->requester, "libcuda.so", work->file, NULL) != 0 ||
        cua_same_file(work->file, chosen->real))
        return work->folder;
    snprintf(work->folder, sizeof(work->folder),
             "; only a library that is linked with \"libcuda.so\", without .1, still gets %.2048s: "
             "cuarbiter cannot change that",
             work->file);
    return work->folder;
}

/* Finds the file that the mapped object of the index `caller` would get without cuarbiter. `taken`
 * receives its path, `opened` its descriptor. Returns false if there is no such file. If an error
 * prevents finding it, sets `unsure` and returns false. CUARBITER_SYSROOT does not apply, because
 * programs do not load from it. */
static bool find_for(struct cua_work *work, size_t caller, const char *name)
{
    struct cua_subject plain = work->subject;

    plain.sysroot = "";
    cua_requester_mapped(&work->requester, caller, name);
    if (work->opened >= 0)
        close(work->opened);
    work->opened = -1;
    int error = cua_loader_find(&plain, &work->requester, name, work->taken, &work->opened);
    work->unsure |= error && error != -ENOENT;
    return error == 0;
}

static bool find_taken(struct cua_work *work, const char *name)
{
    return find_for(work, work->asked->caller, name);
}

/* Whether `taken` is the file `file`. `known` is the status of `file`. If `taken` is open
 * (work->opened), its path need not be looked up, which may take a round trip to a file server. */
static bool is_taken(const struct cua_work *work, const char *file, const struct stat *known)
{
    struct stat st;

    if (work->opened < 0)
        return cua_same_file(work->taken, file);
    return cua_fstat(work->opened, &st) == 0 && st.st_dev == known->st_dev &&
           st.st_ino == known->st_ino;
}

/* Decides which libcuda the caller gets; NULL if that cannot be decided. `loader`: the file that
 * ld.so takes. `library`: the requested library for CUA_ASK_BROUGHT, otherwise NULL. */
static const struct cua_decision *decide(struct cua_work *work, const char *loader, bool by_path,
                                         const char *library)
{
    const char *bind_now = cua_settings_env(&work->settings, "LD_BIND_NOW");
    const struct cua_request request = {
        .loader = loader,
        .opened = loader == work->taken ? &work->opened : NULL,
        .by_path = by_path,
        .needed = library ? (const char *const *)work->needed : NULL,
        .spares = true,
        .binder = {.requester = &work->requester,
                   .library = library,
                   .linked = work->asked->ask == CUA_ASK_LINKED,
                   .now = work->asked->flags & RTLD_NOW || (bind_now && bind_now[0])}};
    const struct cua_decision *d =
        work->unsure ? NULL : cua_decision(&work->subject, &work->settings, &request);

    if (!d)
        cua_log(CUA_LOG_INFO, "unsure",
                "cuarbiter changes nothing for %s: it could not find out which libcuda is right",
                work->asked->name);
    work->decision = d;
    return d;
}

/* Answers a request for libcuda while a libcuda is mapped. Two libcudas in one process break it, so
 * the request must get the mapped one. ld.so might load another file: the mapped one may not have
 * the requested name, or another thread may unload it before ld.so looks. So the answer is the path
 * of the mapped one. If ld.so's search leads to the mapped one anyway, the request stays unchanged.
 *
 * Nothing is redirected in these cases:
 * - under the policy `report`
 * - if the rules do not choose the mapped libcuda, and no earlier answerer has chosen it */
static void answer_mapped(struct cua_work *work)
{
    if (work->policy->kind == CUA_POLICY_REPORT || !cua_decision_chose(work->mapped)) {
        cua_requester_mapped(&work->requester, work->asked->caller, work->asked->name);
        const struct cua_decision *d = decide(work, work->mapped, false, NULL);
        if (!d || !d->verdict.chosen || d->policy->kind == CUA_POLICY_REPORT)
            return;
        if (!cua_same_file(work->mapped, d->verdict.chosen->real)) {
            cua_log(CUA_LOG_WARN, "mapped-other",
                    "%s is loaded already, although %s would be the right one: nothing is "
                    "redirected, because two libcudas in one process break it",
                    work->mapped, d->verdict.chosen->path);
            return;
        }
    }
    bool found = find_taken(work, work->asked->name);
    if (!found && strchr(work->asked->name, '/'))
        return; /* the request would fail without cuarbiter, so it must fail now */
    if (found && cua_same_file(work->taken, work->mapped))
        work->answer.keep = leads_nowhere_else(work);
    else
        rename_to(work, CUA_RENAME, work->mapped);
}

static void answer_cuda(struct cua_work *work)
{
    bool by_path = strchr(work->asked->name, '/'), found, development;

    if (work->mapped[0]) {
        answer_mapped(work);
        return;
    }
    /* With RTLD_NOLOAD the program only asks whether libcuda is loaded. It is not, and ld.so
     * answers that correctly. */
    if (work->asked->flags & RTLD_NOLOAD)
        return;
    found = find_taken(work, work->asked->name);
    development = !found && strcmp(work->asked->name, "libcuda.so") == 0;
    if (development)
        find_taken(work, "libcuda.so.1");
    else if (!found && strcmp(work->asked->name, "libcuda.so.1") != 0)
        return; /* the request would fail without cuarbiter, so it must fail now */
    const struct cua_decision *d = decide(work, work->taken, by_path, NULL);
    if (!is_changed(d, development)) {
        work->answer.keep = found && d && d->verdict.chosen && leads_nowhere_else(work);
        return;
    }
    cua_log(CUA_LOG_INFO, "redirect", "%s leads to %s%s instead of %s%s%s", work->asked->name,
            d->verdict.chosen->path, kind_of(d->verdict.chosen), loaders_own(d),
            leads_nowhere_else(work) ? ", in later requests too" : "",
            other_name(work, d->verdict.chosen));
    rename_to(work, CUA_RENAME, name_of(d->verdict.chosen, work->file));
}

/* Finds where libcuda's companions must come from: the folder of libcuda (work->folder), and its
 * driver version. This libcuda is the mapped one or, if none is mapped, the chosen one. False if
 * there is neither, or under the policy `report`. */
static bool find_home(struct cua_work *work, struct cua_version *version)
{
    const struct cua_decision *d;

    if (work->policy->kind == CUA_POLICY_REPORT)
        return false;
    if (work->mapped[0]) {
        if (realpath(work->mapped, work->file))
            cua_part_named(work->file, version);
        return cua_folder_of(work->mapped, work->folder) == 0;
    }
    find_taken(work, "libcuda.so.1");
    d = decide(work, work->taken, false, NULL);
    if (!d || !d->verdict.chosen || d->policy->kind == CUA_POLICY_REPORT)
        return false;
    *version = d->verdict.chosen->version;
    cua_umd_folder(d->verdict.chosen, work->folder);
    return true;
}

/* Whether the file `taken` belongs to the driver `version`. The folder of the file does not matter.
 * CUA_WORKS_YES: it is usable (CUA_UMD_USABLE) and of that version. CUA_WORKS_UNKNOWN: it is
 * usable, but does not show its version. CUA_WORKS_NO: anything else, also if `version` is not
 * known. */
static enum cua_works goes_along(const struct cua_work *work, const struct cua_requested *request,
                                 const struct cua_version *version)
{
    const struct cua_part part = {.stem = request->stem, .driver = version};
    struct cua_facts facts = {.kmd = {.platform = CUA_PLATFORM_LINUX, .version = *version}};
    enum cua_works goes = CUA_WORKS_NO;

    if (!cua_version_known(version))
        return CUA_WORKS_NO;
    cua_part_loader(&facts, &part, work->taken);
    if (facts.loader && cua_is_native(&facts, facts.loader))
        goes = CUA_WORKS_YES;
    else if (facts.loader && facts.loader->state == CUA_UMD_USABLE &&
             !cua_version_known(&facts.loader->version))
        goes = CUA_WORKS_UNKNOWN;
    cua_facts_free(&facts);
    return goes;
}

/* Whether the mapped libcuda or, if none is mapped, the chosen one is the file that ld.so takes by
 * itself. */
static bool keeps_libcuda(struct cua_work *work)
{
    const struct cua_umd *chosen = work->decision ? work->decision->verdict.chosen : NULL;
    const char *libcuda = work->mapped[0] ? work->mapped : chosen ? chosen->real : "";

    return find_taken(work, "libcuda.so.1") && cua_same_file(work->taken, libcuda);
}

/* Whether ld.so's choice for a companion stays. It stays if it is the file beside libcuda
 * (work->file, whose status is `own`), or has libcuda's driver version. A file that shows no
 * version is another maker's: it stays if ld.so's choice for libcuda stays too. */
static bool stays(struct cua_work *work, const struct cua_requested *request,
                  const struct cua_version *version, const struct stat *own)
{
    if (!find_taken(work, work->asked->name))
        return false;
    if (is_taken(work, work->file, own))
        return true;
    enum cua_works goes = goes_along(work, request, version);
    return goes == CUA_WORKS_YES || (goes == CUA_WORKS_UNKNOWN && keeps_libcuda(work));
}

static void answer_companion(struct cua_work *work, const struct cua_requested *request)
{
    struct cua_version version = {0};
    struct stat own;

    if (!find_home(work, &version) ||
        cua_requested_in_folder(request, work->folder, &version, work->file, &own) != 0)
        return;
    if (!stays(work, request, &version, &own)) {
        cua_log(CUA_LOG_INFO, "companion", "%s leads to %s", work->asked->name, work->file);
        rename_to(work, CUA_RENAME, work->file);
    }
    work->answer.keep = work->mapped[0] && leads_nowhere_else(work);
}

static const struct cua_umd *find_native(void *data)
{
    struct cua_work *work = data;
    const struct cua_decision *d = cua_decision_native(&work->subject, &work->settings);

    return d ? d->facts.native : NULL;
}

/* Answers a request for a part of the driver (drivers/part.h: one of its libraries besides
 * libcuda). The file that ld.so would take is judged like a libcuda. It is replaced by the host
 * driver's only if it is certain to fail, or missing. */
static void answer_part(struct cua_work *work, const struct cua_part *part)
{
    const struct cua_request request = {.loader = work->taken,
                                        .by_path = work->asked->name[0] == '/',
                                        .binder = {.requester = &work->requester},
                                        .part = part};
    const struct cua_policy *policy = cua_policy_in_force(&work->settings);
    struct cua_verdict verdict;
    struct cua_facts facts;

    if (!policy)
        return;
    cua_decide(&facts, &verdict, &work->subject, &work->settings, policy, &request);
    if (verdict.chosen && verdict.chosen != facts.loader && (facts.loader || !work->taken[0])) {
        cua_log(CUA_LOG_INFO, "bound", "%s leads to the host driver's %s", work->asked->name,
                verdict.chosen->real);
        rename_to(work, CUA_RENAME, verdict.chosen->real);
    } else {
        if (facts.loader && facts.loader->state == CUA_UMD_FOREIGN)
            cua_log(CUA_LOG_INFO, "foreign", "%s is not NVIDIA's: left alone", work->taken);
        work->answer.keep = verdict.works == CUA_WORKS_YES && leads_nowhere_else(work);
    }
    cua_facts_free(&facts);
}

static void answer_bound(struct cua_work *work, const struct cua_requested *request)
{
    bool by_path = strchr(work->asked->name, '/');
    struct cua_version wanted;

    const struct cua_decision *d = cua_decision_kmd(&work->subject, &work->settings);
    if (!d || d->policy->kind == CUA_POLICY_REPORT || d->facts.kmd.platform != CUA_PLATFORM_LINUX)
        return;
    const struct cua_version *kmd = &d->facts.kmd.version;
    if (cua_version_parse(&wanted, request->version) > 0 && cua_version_compare(&wanted, kmd) != 0)
        return;
    if (!by_path && cua_mapped_find(work->asked->name))
        return;
    /* A request by a path that leads to no file must fail, as it does without cuarbiter. */
    if ((!find_taken(work, work->asked->name) && by_path) || work->unsure)
        return;
    answer_part(work, &(struct cua_part){request->stem, kmd, find_native, work});
}

void cua_reply_named(struct cua_work *work)
{
    struct cua_requested request;

    if (!cua_requested_parse(&request, work->asked->name))
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

void cua_reply_brought(struct cua_work *work)
{
    struct cua_subject plain = work->subject;
    int brings;

    /* With CUA_FIRST the shim opens the mapped libcuda once more, so that it stays loaded.
     * Otherwise another thread might unload it before ld.so looks for what the requested library
     * needs. */
    if (cua_mapped_libcuda(work->mapped)) {
        if (work->policy->kind == CUA_POLICY_REPORT)
            work->answer.keep = true;
        else
            rename_to(work, CUA_FIRST, work->mapped);
        return;
    }
    plain.sysroot = "";
    cua_requester_mapped(&work->requester, work->asked->caller, work->asked->name);
    brings = cua_loader_brings_libcuda(&plain, &work->requester, work->asked->name, work->taken,
                                       cua_toolkit_counts, work->needed, NULL, NULL);
    if (brings == 0)
        work->answer.keep = true;
    if (brings != 1)
        return;
    const struct cua_decision *d = decide(work, work->taken, false, work->asked->name);
    if (!is_changed(d, false))
        return;
    cua_log(CUA_LOG_INFO, "brought",
            "%s needs libcuda: %s%s is loaded just before that library, instead of %s%s",
            work->asked->name, d->verdict.chosen->path, kind_of(d->verdict.chosen), loaders_own(d),
            other_name(work, d->verdict.chosen));
    rename_to(work, CUA_FIRST, name_of(d->verdict.chosen, work->file));
}

void cua_reply_linked(struct cua_work *work)
{
    cua_requester_mapped(&work->requester, 0, work->asked->name);
    const struct cua_decision *d = decide(work, work->asked->name, false, NULL);
    if (!is_changed(d, false))
        return;
    cua_log(CUA_LOG_INFO, "exec",
            "the program is linked with libcuda, so cuarbiter tries to start it again with %s%s "
            "instead of %s%s",
            d->verdict.chosen->path, kind_of(d->verdict.chosen), work->asked->name,
            other_name(work, d->verdict.chosen));
    rename_to(work, CUA_EXEC, name_of(d->verdict.chosen, work->file));
}

/* Adds rows for the companions that libcuda opens by SONAME, so that the shim need not ask about
 * them. Adds none if the request is left as it is: then ld.so's companions nearly always fit, and
 * the few processes that open one can ask. */
void cua_reply_companions(struct cua_work *work)
{
    static const char *const names[] = {"libnvidia-ptxjitcompiler.so.1", "libnvidia-nvvm.so.4",
                                        "libnvidia-nvvm70.so.4", "libcudadebugger.so.1"};
    const struct cua_umd *chosen = work->decision ? work->decision->verdict.chosen : NULL;
    struct cua_requested request;
    struct stat own;

    if (!chosen || work->answer.action == CUA_LEAVE)
        return;
    cua_umd_folder(chosen, work->folder);
    cua_requester_mapped(&work->requester, 0, "");
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (!cua_requested_parse(&request, names[i]) ||
            cua_requested_in_folder(&request, work->folder, &chosen->version, work->file, &own) !=
                0)
            continue;
        if (find_for(work, 0, names[i]) &&
            (is_taken(work, work->file, &own) ||
             goes_along(work, &request, &chosen->version) == CUA_WORKS_YES))
            cua_table_row(names[i], CUA_LEAVE, NULL, NULL, true);
        else
            cua_table_row(names[i], CUA_RENAME, work->file, &own, true);
    }
}
