/* SPDX-License-Identifier: Apache-2.0 */
/* The shim's questions. No lock is held anywhere, so a fork in the middle leaves nothing locked. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cuarbiter/contract.h"
#include "cuarbiter/ident.h"
#include "cuarbiter/names.h"
#include "decide/decision.h"
#include "machine/log.h"
#include "answer/replies.h"
#include "answer/stack.h"
#include "loader/mapped.h"
#include "loader/ldso_args.h"
#include "machine/site.h"

CUA_IDENT("engine");
CUA_ENGINE_NOTE_SECTION static const struct cua_engine_note note = CUA_ENGINE_NOTE(CUA_CONTRACT);
#pragma weak cua_command_mark

/* Read once: another thread may change the environment, which glibc before 2.41 then moves while
 * others read it. */
static const char *sysroot_of(const struct cua_settings *settings)
{
    static const char *_Atomic known;
    const char *sysroot = atomic_load(&known);

    if (sysroot)
        return sysroot;
    sysroot = cua_site_sysroot(cua_settings_env(settings, CUA_ENV_SYSROOT));
    if (*sysroot && !(sysroot = cua_give(sysroot)))
        return "";
    atomic_store(&known, sysroot);
    return sysroot;
}

static const char *library_path(const struct cua_question *q)
{
    const char *told = cua_ldso_args_own();

    return told ? told : q->library_path;
}

static struct cua_settings settings_of(const struct cua_question *q)
{
    return (struct cua_settings){.env = q->env, .library_path = library_path(q), .home = q->home};
}

/* The command reports on others and, as the helper of a trial, tries one exact file. If
 * /etc/ld.so.preload brings the shim into it, nothing is redirected, whatever the site file locks:
 * a trial would try another file, or start another trial. A symbol marks it: the first look at
 * /proc/self/exe costs a process 15 us. */
static bool in_command(void)
{
    return &cua_command_mark != NULL;
}

static void decide(void *arg)
{
    struct cua_work *work = arg;

    if (work->q->ask == CUA_ASK_NAMED)
        cua_reply_named(work);
    else if (work->q->ask == CUA_ASK_BROUGHT)
        cua_reply_brought(work);
    else if (work->q->ask == CUA_ASK_LINKED)
        cua_reply_linked(work);
}

static void answer_question(const struct cua_question *q, struct cua_answer *answer)
{
    struct cua_work *work = in_command() ? NULL : malloc(sizeof(*work));
    const struct cua_policy *policy;

    if (!work)
        return;
    if (q->iterate)
        cua_mapped_iterate = q->iterate;
    work->unsure = false;
    work->opened = -1;
    work->q = q;
    work->answer = answer;
    work->settings = settings_of(q);
    work->subject = (struct cua_subject){
        .sysroot = sysroot_of(&work->settings), .env = q->env, .library_path = library_path(q)};
    policy = cua_policy_in_force(&work->settings);
    if (policy && policy->kind != CUA_POLICY_OFF && !policy->disabled &&
        (q->ask != CUA_ASK_BROUGHT || cua_reply_brings(work)))
        cua_on_roomy_stack(decide, work);
    if (work->opened >= 0)
        close(work->opened);
    free(work);
}

/* dlopen is no cancellation point, and open and read are: a thread that is cancelled must not end
 * in here, with files open. */
static void ask(const struct cua_question *q, struct cua_answer *answer)
{
    int error = errno, cancelled;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelled);
    memset(answer, 0, sizeof(*answer));
    answer_question(q, answer);
    pthread_setcancelstate(cancelled, NULL);
    errno = error;
}

static void not_executed(const struct cua_question *q, const char *why)
{
    const struct cua_settings settings = settings_of(q);
    int error = errno, cancelled;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelled);
    cua_policy_in_force(&settings);
    cua_log(CUA_LOG_WARN, "no-second-exec",
            "the program is linked with another libcuda than the one that works here, and could "
            "not be executed again with %s: %s",
            q->name, why);
    pthread_setcancelstate(cancelled, NULL);
    errno = error;
}

__attribute__((visibility("default"))) const struct cua_engine cua_engine = {
    .contract = CUA_CONTRACT,
    .size = sizeof(struct cua_engine),
    .version = cua_ident + sizeof(CUA_IDENT_MARK "engine"),
    .ask = ask,
    .not_executed = not_executed,
};
