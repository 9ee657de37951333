/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/trial.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "machine/asker.h"
#include "machine/cachedir.h"
#include "trial/cache.h"
#include "trial/attempt.h"
#include "trial/child.h"
#include "trial/report.h"

#define CUA_NAP_MS      10
#define CUA_NAP_MOST_MS 100
#define CUA_LEAST_MS    50 /* if less time is left, no child is started */

/* How long this process has waited for trials so far, in milliseconds, and when the last wait
 * ended. Time in which several threads wait counts once. `waiter` is the process's pid: after a
 * fork the child begins at 0. */
static _Atomic long long waited, waited_until;
static _Atomic pid_t waiter;

static long long waited_before(void)
{
    pid_t pid = getpid();

    if (atomic_exchange(&waiter, pid) != pid)
        atomic_store(&waited, 0);
    return atomic_load(&waited);
}

static void add_wait(long long from)
{
    long long now = cua_child_now(), until = atomic_exchange(&waited_until, now);

    atomic_fetch_add(&waited, now - (until > from ? until : from));
}

long long cua_trial_waited(void)
{
    return atomic_load(&waited);
}

void cua_trial_recall(long long milliseconds)
{
    atomic_store(&waiter, getpid());
    atomic_store(&waited, milliseconds);
}

/* All questions of one request, NVML's first, with the answers found so far. */
struct work {
    const struct cua_trial_request *request;
    struct cua_trial_answers *answers;
    long long deadline;
    int folder;
    bool kept;
    struct cua_trial_key item[CUA_TRIAL_FILES + 1];
    size_t items;
};

static void add_item(struct work *work, const char *file, struct cua_trial *trial,
                     struct cua_trial_answers *gpus)
{
    struct cua_trial_key *item = &work->item[work->items];

    if (!file)
        return;
    work->items++;
    cua_trial_clear(trial);
    item->file = file;
    item->trial = trial;
    item->gpus = gpus;
    cua_trial_key_make(item, work->request);
}

/* Looks up the answers that are not known yet; true if all are known now. */
static bool find_all(struct work *work)
{
    bool all = true;

    for (struct cua_trial_key *item = work->item; item < work->item + work->items; item++)
        all &= item->trial->how != CUA_TRIAL_UNTRIED ||
               cua_answers_find(work->folder, work->kept, item);
    return all;
}

/* Tries the native driver in the same run if its answer shows whether the file is at fault: the
 * file did not load, or answered 100. */
static void ask_native(struct work *work, const struct cua_trial_key *item)
{
    const char *native = work->request->native;
    struct cua_trial answer;

    if ((item->trial->how == CUA_TRIAL_UNLOADED || item->trial->code == 100) && !item->gpus &&
        native && strcmp(native, item->file) != 0 &&
        cua_child_now() + CUA_LEAST_MS < work->deadline &&
        cua_attempt(&answer, NULL, work->request, native, work->deadline) == 0 &&
        answer.how == CUA_TRIAL_RAN)
        item->trial->native = answer.code;
}

/* Tells the shim of the asking program how long the trial may take, so that the shim waits as long
 * for the answer. Done once per process. */
static void say_trial(long long left)
{
    if (!cua_asker.trial)
        return;
    cua_asker.trial((unsigned)(left / 1000 + 1));
    cua_asker.trial = NULL;
}

/* Tries every file that has no answer yet, and caches the answers. Call it under the lock. Returns
 * 0, or the reason as cua_trial_ask does. */
static int try_all(struct work *work)
{
    const struct cua_trial_request *request = work->request;
    const struct cua_trial *nvml = &work->answers->nvml;
    bool all = find_all(work), room = !all && work->kept && cua_answers_room(work->folder);

    for (struct cua_trial_key *item = work->item; !all && item < work->item + work->items; item++) {
        if (item->trial->how != CUA_TRIAL_UNTRIED)
            continue;
        /* If NVML counts no GPU, cuInit would answer 100. */
        if (nvml->how == CUA_TRIAL_RAN && nvml->devices == 0)
            return CUA_BAR_NO_GPU;
        if (request->when != CUA_TRIAL_ALWAYS && !item->name[0])
            return CUA_BAR_NO_KEY;
        if (request->when != CUA_TRIAL_ALWAYS && !room)
            return CUA_BAR_NO_FOLDER;
        long long left = work->deadline - cua_child_now();
        if (left < CUA_LEAST_MS)
            return CUA_BAR_WAITED;
        say_trial(left);
        int err = cua_attempt(item->trial, item->gpus, request, item->file, work->deadline);
        if (err)
            return err;
        ask_native(work, item);
        item->limit = (unsigned)((left + 999) / 1000);
        if (room || !work->kept)
            cua_answers_keep(work->folder, work->kept, item);
    }
    return 0;
}

/* Answers all questions: takes the lock, tries every file that has no answer yet, and unlocks.
 * While another process holds the lock, looks for answers in the cache, because that process may be
 * asking the same questions. Returns 0, or the reason as cua_trial_ask does. */
static int ask(struct work *work)
{
    for (int nap = CUA_NAP_MS;; nap = nap < CUA_NAP_MOST_MS ? nap * 2 : nap) {
        struct timespec time = {0, nap * 1000000L};
        if (work->kept && find_all(work))
            return 0;
        if (work->request->moot && work->request->moot(work->request->about))
            return CUA_BAR_MOOT;
        if (cua_child_now() + CUA_LEAST_MS >= work->deadline)
            return nap == CUA_NAP_MS ? CUA_BAR_WAITED : CUA_BAR_BUSY;
        int err = flock(work->folder, LOCK_EX | LOCK_NB) ? -errno : try_all(work);
        /* Closing would not unlock: a child that another thread has forked may have the descriptor
         * too. */
        flock(work->folder, LOCK_UN);
        if (err != -EWOULDBLOCK)
            return err;
        say_trial(work->deadline - cua_child_now());
        /* Sleeps. nanosleep() would be a cancellation point. */
        syscall(SYS_ppoll, NULL, 0, &time, NULL, 0);
    }
}

/* If trials are not switched off, opens the cache folder (cache.h) and calls ask(). If no answers
 * can be kept there, calls ask() only for CUA_TRIAL_ALWAYS. Returns 0, or the reason as
 * cua_trial_ask does. */
static int open_and_ask(struct work *work)
{
    const struct cua_trial_request *request = work->request;

    if (request->when == CUA_TRIAL_NEVER)
        return CUA_BAR_OFF;
    if (!request->settings->home)
        return CUA_BAR_CUT;
    work->folder = cua_answers_open(request->settings, &work->kept);
    if (work->folder < 0) /* there is neither a cache folder nor another lock */
        return CUA_BAR_NO_FOLDER;
    int err = work->kept || request->when == CUA_TRIAL_ALWAYS ? ask(work) : CUA_BAR_NO_FOLDER;
    close(work->folder);
    return err;
}

const char *cua_trial_why_not(int bar)
{
    static const char *const words[] = {
        [CUA_BAR_NONE] = "",
        [CUA_BAR_OFF] = "trying drivers is switched off",
        [CUA_BAR_CUT] = "the program's environment is too large to try a driver with it",
        [CUA_BAR_NO_FOLDER] = ("no private folder in /run, /tmp or /dev/shm can keep its answer "
                               "(read-only or full?)"),
        [CUA_BAR_NO_KEY] = "its answer cannot be kept: no boot ID in /proc, or too many GPUs",
        [CUA_BAR_BUSY] = "another process was still trying drivers at the time limit",
        [CUA_BAR_WAITED] = ("this process has used up its time for trying drivers "
                            "(CUARBITER_TRIAL_TIMEOUT)"),
        [CUA_BAR_SIGNAL] = "a signal has asked this process to end",
        [CUA_BAR_STRANGER] = "the command cuarbiter belongs to another user",
        [CUA_BAR_NO_COMMAND] = "the command cuarbiter is missing, or cannot run here",
        [CUA_BAR_NO_GPU] = "NVML reports no GPU",
        [CUA_BAR_MOOT] = "another process of the container has decided meanwhile",
    };

    return bar < 0 ? strerror(-bar) : words[bar];
}

int cua_trial_ask(struct cua_trial_answers *answers, const struct cua_trial_request *request)
{
    int saved = errno, err = -ENOMEM;
    long long from = cua_child_now();
    struct work *work = calloc(1, sizeof(*work));

    memset(answers, 0, sizeof(*answers));
    if (work) {
        work->request = request;
        work->answers = answers;
        work->deadline = from + request->limit * 1000LL - waited_before();
        add_item(work, request->nvml, &answers->nvml, answers);
        for (size_t i = 0; i < CUA_TRIAL_FILES; i++)
            add_item(work, request->file[i], &answers->file[i], NULL);
        err = open_and_ask(work);
        for (struct cua_trial_key *item = work->item; item < work->item + work->items; item++)
            if (item->trial->how == CUA_TRIAL_UNTRIED)
                snprintf(item->trial->trouble, sizeof(item->trial->trouble), "%s%s",
                         err < 0 ? "no child process could start: " : "", cua_trial_why_not(err));
        free(work);
    }
    add_wait(from);
    errno = saved;
    return err;
}

bool cua_trial_kept(struct cua_trial *trial, const struct cua_trial_request *request)
{
    int folder = cua_cachedir_open(cua_settings_env(request->settings, "XDG_RUNTIME_DIR"), false);
    struct work *work = folder < 0 ? NULL : calloc(1, sizeof(*work));
    bool found = false;

    if (work) {
        work->request = request;
        add_item(work, request->file[0], trial, NULL);
        found = cua_answers_find(folder, true, work->item);
        free(work);
    }
    if (folder >= 0)
        close(folder);
    return found;
}

bool cua_trial_refused(const struct cua_trial *trial)
{
    return trial->how == CUA_TRIAL_UNLOADED && trial->native >= 0 && trial->step != CUA_STEP_NEEDS;
}
