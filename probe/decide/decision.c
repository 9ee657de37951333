/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Published by one atomic pointer: threads that ask at the same time may each make a decision, one
 * wins.
 */
#include "decide/decision.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cuarbiter/names.h"
#include "machine/log.h"
#include "machine/site.h"
#include "base/reasons.h"
#include "decide/loop.h"
#include "drivers/umds.h"
#include "facts/kmd.h"
#include "machine/settings.h"
#include "machine/subject.h"

#define CUA_BUSY_THREADS 32

static struct cua_decision *_Atomic decided, *_Atomic looked;

/* Threads that are deciding: NVML, loaded for that, may call dlopen itself, which comes back here.
 */
static _Atomic pid_t busy[CUA_BUSY_THREADS];

static pid_t thread_id(void)
{
    return (pid_t)syscall(SYS_gettid);
}

static bool is_busy(pid_t tid)
{
    for (int i = 0; i < CUA_BUSY_THREADS; i++)
        if (atomic_load_explicit(&busy[i], memory_order_relaxed) == tid)
            return true;
    return false;
}

static int enter(pid_t tid)
{
    for (int i = 0; i < CUA_BUSY_THREADS; i++) {
        pid_t none = 0;
        if (atomic_compare_exchange_strong(&busy[i], &none, tid))
            return i;
    }
    return -1;
}

static void free_decision(struct cua_decision *d)
{
    cua_verdict_free(&d->verdict);
    cua_facts_free(&d->facts);
    free(d);
}

/* True if it is in force now; else another is, and `*d` is that one. */
static bool publish(struct cua_decision *_Atomic *where, struct cua_decision **d)
{
    struct cua_decision *other = NULL;

    if (atomic_compare_exchange_strong(where, &other, *d))
        return true;
    free_decision(*d);
    *d = other;
    return false;
}

/* Others may have variables of that name for reasons of their own: it is no warning. */
static void log_unknown(const struct cua_settings *settings)
{
    char name[64];

    for (size_t at = 0;
         cua_log_wanted(CUA_LOG_INFO) && cua_site_unknown(settings, &at, name, sizeof(name));)
        cua_log(CUA_LOG_INFO, "unknown-variable", "%s is set, which is no variable of cuarbiter's",
                name);
}

static void log_decision(const struct cua_decision *d)
{
    const struct cua_verdict *v = &d->verdict;
    enum cua_level level = CUA_LOG_INFO;

    if (d->policy.libcuda[0] && v->reason != CUA_REASON_POLICY_FILE && !d->policy.disabled &&
        d->policy.kind != CUA_POLICY_OFF)
        cua_log(CUA_LOG_WARN, "bad-libcuda", "%s=%s is ignored: it is no libcuda that can be used",
                CUA_ENV_LIBCUDA, d->policy.libcuda);
    if (d->policy.kind == CUA_POLICY_HOST && v->kind == CUA_KIND_COMPAT &&
        v->reason != CUA_REASON_POLICY_FILE)
        cua_log(CUA_LOG_WARN, "policy-host",
                "%s=host, and no libcuda of the kernel driver's version is here: auto is used",
                CUA_ENV_POLICY);
    if (d->facts.kmd.platform != CUA_PLATFORM_NONE &&
        (v->works == CUA_WORKS_NO || v->forced_warning))
        level = CUA_LOG_WARN;
    cua_log(level, cua_reason_code(v->reason), "%s%s%s", v->explanation, v->help[0] ? " " : "",
            v->help);
}

static void find_native(struct cua_decision *d)
{
    for (struct cua_umd *umd = d->facts.umds; umd && !d->native; umd = umd->hh.next)
        if (umd->state == CUA_UMD_USABLE && umd->trusted && cua_version_known(&umd->version) &&
            cua_version_compare(&umd->version, &d->facts.kmd.version) == 0)
            d->native = umd;
}

static struct cua_decision *make_decision(const struct cua_subject *subject,
                                          const struct cua_settings *settings)
{
    struct cua_decision *d = calloc(1, sizeof(*d));

    if (!d)
        return NULL;
    cua_policy_read(&d->policy, settings);
    int err = cua_decide(&d->facts, &d->verdict, subject, settings, &d->policy, NULL);
    if (err) {
        cua_log(CUA_LOG_WARN, "no-decision", "no decision could be made: %s", strerror(-err));
        free_decision(d);
        return NULL;
    }
    find_native(d);
    return d;
}

const struct cua_decision *cua_decision(const struct cua_subject *subject,
                                        const struct cua_settings *settings)
{
    struct cua_decision *d = atomic_load(&decided);
    pid_t tid = thread_id();

    if (d)
        return d;
    if (is_busy(tid))
        return NULL;
    int slot = enter(tid);
    d = make_decision(subject, settings);
    if (slot >= 0)
        atomic_store(&busy[slot], 0);
    if (d && publish(&decided, &d)) {
        log_unknown(settings);
        log_decision(d);
    }
    return d;
}

bool cua_decision_made(void)
{
    return atomic_load(&decided) != NULL;
}

const struct cua_decision *cua_decision_native(const struct cua_subject *subject,
                                               const struct cua_settings *settings)
{
    struct cua_decision *d = atomic_load(&decided);

    if (!d)
        d = atomic_load(&looked);
    if (d || !(d = calloc(1, sizeof(*d))))
        return d;
    cua_policy_read(&d->policy, settings);
    cua_kmd_gather(&d->facts.kmd, subject);
    cua_umds_gather(&d->facts, subject, &d->policy);
    find_native(d);
    publish(&looked, &d);
    return d;
}

bool cua_decision_off(const struct cua_decision *d)
{
    return !d || d->policy.kind == CUA_POLICY_OFF;
}
