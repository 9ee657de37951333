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

#include "trial/cache.h"
#include "trial/attempt.h"
#include "trial/child.h"
#include "trial/report.h"

#define CUA_NAP_MS      10
#define CUA_NAP_MOST_MS 100
#define CUA_LEAST_MS    50 /* for less no child is started */

/* What this process has waited so far, whichever thread of it. */
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

/* All that is asked, NVML first, and what is known of it. */
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

/* Looks for what is not known yet; true where all is. */
static bool find_all(struct work *work)
{
    bool all = true;

    for (struct cua_trial_key *item = work->item; item < work->item + work->items; item++)
        all &= item->trial->how != CUA_TRIAL_UNTRIED ||
               cua_answers_find(work->folder, work->kept, item);
    return all;
}

/* Where the native driver's answer makes the difference, it is asked in the same run. */
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

/* Under the lock. */
static int try_all(struct work *work)
{
    const struct cua_trial_request *request = work->request;
    const struct cua_trial *nvml = &work->answers->nvml;
    bool all = find_all(work), room = !all && work->kept && cua_answers_room(work->folder);

    for (struct cua_trial_key *item = work->item; !all && item < work->item + work->items; item++) {
        if (item->trial->how != CUA_TRIAL_UNTRIED)
            continue;
        if (nvml->how == CUA_TRIAL_RAN && nvml->devices == 0) /* cuInit would say 100 */
            return CUA_BAR_NO_GPU;
        if (request->when != CUA_TRIAL_ALWAYS && !(item->name[0] && room))
            return CUA_BAR_NO_FOLDER;
        long long left = work->deadline - cua_child_now();
        if (left < CUA_LEAST_MS)
            return CUA_BAR_WAITED;
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

/* Whoever has the lock may be asking the same. */
static int ask(struct work *work)
{
    for (int nap = CUA_NAP_MS;; nap = nap < CUA_NAP_MOST_MS ? nap * 2 : nap) {
        struct timespec time = {0, nap * 1000000L};
        if (work->kept && find_all(work))
            return 0;
        if (cua_child_now() + CUA_LEAST_MS >= work->deadline)
            return nap == CUA_NAP_MS ? CUA_BAR_WAITED : CUA_BAR_BUSY;
        int err = flock(work->folder, LOCK_EX | LOCK_NB) ? -errno : try_all(work);
        /* A child that another thread forked meanwhile holds the descriptor too. */
        flock(work->folder, LOCK_UN);
        if (err != -EWOULDBLOCK)
            return err;
        /* Not nanosleep(), which is a cancellation point. */
        syscall(SYS_ppoll, NULL, 0, &time, NULL, 0);
    }
}

/* Where answers are kept, if any need be asked. */
static int open_and_ask(struct work *work)
{
    const struct cua_trial_request *request = work->request;

    if (request->when == CUA_TRIAL_NEVER || !request->settings->home)
        return CUA_BAR_OFF;
    work->folder = cua_answers_open(request->settings, &work->kept);
    if (work->folder < 0)
        return work->folder;
    int err = work->kept || request->when == CUA_TRIAL_ALWAYS ? ask(work) : CUA_BAR_NO_FOLDER;
    close(work->folder);
    return err;
}

const char *cua_trial_why_not(int bar)
{
    static const char *const words[] = {
        [CUA_BAR_NONE] = "",
        [CUA_BAR_OFF] = "trials are off",
        [CUA_BAR_NO_FOLDER] = "no folder keeps the answer: neither /run, /tmp nor /dev/shm",
        [CUA_BAR_BUSY] = "another process's trial took the time",
        [CUA_BAR_WAITED] = "this process has waited long enough for trials",
        [CUA_BAR_SIGNAL] = "a signal asks this process to end",
        [CUA_BAR_NO_GPU] = "NVML counts no GPU",
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
                snprintf(item->trial->trouble, sizeof(item->trial->trouble), "%s",
                         cua_trial_why_not(err));
        free(work);
    }
    add_wait(from);
    errno = saved;
    return err;
}

bool cua_trial_refused(const struct cua_trial *trial)
{
    return trial->how == CUA_TRIAL_UNLOADED && trial->native >= 0 && trial->step != CUA_STEP_NEEDS;
}
