/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/trial.h"

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuarbiter/names.h"
#include "base/oldstat.h"
#include "base/text.h"
#include "trial/answers.h"
#include "trial/child.h"
#include "trial/report.h"

#define CUA_STRINGIFY(x) #x
#define CUA_STRING(x)    CUA_STRINGIFY(x)
#define CUA_NAP_MS       10
#define CUA_NAP_MOST_MS  100
#define CUA_LEAST_MS     50 /* for less no child is started */

struct libc {
    struct stat st;
    bool found;
};

static int find_libc(struct dl_phdr_info *info, size_t size, void *data)
{
    struct libc *libc = data;

    (void)size;
    if (!info->dlpi_name || !cua_ends(info->dlpi_name, "/libc.so.6"))
        return 0;
    libc->found = cua_stat(info->dlpi_name, &libc->st) == 0;
    return 1;
}

/* Whether the folder can stand in LD_LIBRARY_PATH: sayable there, and no other system's library
 * folder, whose libc would not go with this system's ld.so. */
static bool fits_library_path(const char *folder)
{
    char path[PATH_MAX];
    struct stat there;
    struct libc ours = {.found = false};

    if (strpbrk(folder, ":;$") || !cua_join(path, sizeof(path), folder, "libc.so.6"))
        return false;
    if (cua_stat(path, &there) != 0)
        return true;
    dl_iterate_phdr(find_libc, &ours);
    return ours.found && ours.st.st_dev == there.st_dev && ours.st.st_ino == there.st_ino;
}

/* "LD_LIBRARY_PATH=..." of the helper; NULL where it has none, or no memory. */
static char *library_path(const struct cua_trial_request *request, const char *file)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(file, '/');
    const char *rest = request->library_path ? request->library_path : "";
    char *out;

    if (!slash || !cua_copy_n(folder, sizeof(folder), file, (size_t)(slash - file)) ||
        !fits_library_path(folder))
        folder[0] = '\0';
    if (!folder[0] && !rest[0])
        return NULL;
    if (asprintf(&out, "LD_LIBRARY_PATH=%s%s%s", folder, folder[0] && rest[0] ? ":" : "", rest) < 0)
        return NULL;
    return out;
}

static bool is_replaced(const char *entry)
{
    static const char *const names[] = {
        "LD_PRELOAD=", "LD_AUDIT=", "LD_LIBRARY_PATH=", CUA_ENV_POLICY "="};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (cua_starts(entry, names[i]))
            return true;
    return false;
}

/* The strings stay where they are; the array is the caller's. A shim that comes by
 * /etc/ld.so.preload stands aside by the policy. */
static char **environment(const struct cua_trial_request *request, char *path)
{
    static char policy_off[] = CUA_ENV_POLICY "=off";
    char *const *from = request->env ? request->env : environ;
    size_t count = 0, n = 0;

    while (from && from[count])
        count++;
    char **env = calloc(count + 3, sizeof(*env));
    if (!env)
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (!is_replaced(from[i]))
            env[n++] = from[i];
    env[n++] = policy_off;
    if (path)
        env[n++] = path;
    return env;
}

/* For a report that is not whole: the helper did not get to its end. */
static void judge(struct cua_trial *trial, const struct cua_child *child, long long limit)
{
    bool known = child->status != -1;

    if (!child->ended) {
        trial->how = CUA_TRIAL_TIMEOUT;
        snprintf(trial->trouble, sizeof(trial->trouble), "no answer in %lld s%s",
                 (limit + 999) / 1000,
                 child->left_behind ? "; the child could not be killed and is left behind" : "");
        return;
    }
    trial->how = CUA_TRIAL_BROKEN;
    int signal = known && WIFSIGNALED(child->status) ? WTERMSIG(child->status) : 0;
    /* A file that was cut short: ld.so reads beyond its end. */
    if (strcmp(trial->step, "dlopen") == 0 &&
        (signal == SIGBUS || signal == SIGSEGV || signal == SIGILL))
        trial->how = CUA_TRIAL_UNLOADED;
    if (signal)
        snprintf(trial->trouble, sizeof(trial->trouble), "the child ended by signal %d", signal);
    else if (known && WIFEXITED(child->status))
        snprintf(trial->trouble, sizeof(trial->trouble), "the child ended with exit code %d",
                 WEXITSTATUS(child->status));
    else
        snprintf(trial->trouble, sizeof(trial->trouble), "the child ended without an answer");
}

/* One file in a child of its own; an NVML where `answers` receives the GPUs. */
static int run(struct cua_trial *trial, struct cua_trial_answers *answers,
               const struct cua_trial_request *request, const char *file, long long deadline)
{
    char command[PATH_MAX], verb[] = "trial", helper[] = "--helper", nvml[] = "--nvml";
    char end[] = "--", fd[] = CUA_STRING(CUA_CHILD_FD);
    struct cua_child *child = calloc(1, sizeof(*child));
    char *path = library_path(request, file), **env = environment(request, path);
    char *name = strdup(file);
    char *argv[] = {command,
                    verb,
                    helper,
                    fd,
                    answers ? nvml : end,
                    answers ? end : name,
                    answers ? name : NULL,
                    NULL};
    long long limit = deadline - cua_child_now();
    int err = -ENOMEM;

    if (!child || !env || !name)
        goto out;
    err = -ENAMETOOLONG;
    if (!cua_join(command, sizeof(command), request->home, CUA_FILE_COMMAND))
        goto out;
    child->path = command;
    child->argv = argv;
    child->env = env;
    child->deadline = deadline;
    err = cua_child_run(child);
    if (!err && child->interrupted)
        err = -EINTR;
    if (err)
        goto out;
    cua_trial_clear(trial);
    if (answers)
        answers->gpus = 0;
    trial->left_behind = child->left_behind;
    if (!cua_trial_lines(trial, answers, child->report))
        judge(trial, child, limit);
out:
    free(name);
    free(env);
    free(path);
    free(child);
    return err;
}

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

int cua_trial_run(struct cua_trial *trial, const struct cua_trial_request *request)
{
    int saved = errno;

    cua_trial_clear(trial);
    trial->how = CUA_TRIAL_UNTRIED;
    int err = !request->home || request->file[0][0] != '/'
                  ? -EINVAL
                  : run(trial, NULL, request, request->file[0],
                        cua_child_now() + request->limit * 1000LL);
    errno = saved;
    return err;
}

/* All that is asked, NVML first, and what is known of it. */
struct work {
    const struct cua_trial_request *request;
    struct cua_trial_answers *answers;
    long long deadline;
    int folder;
    bool kept;
    struct {
        const char *file;
        struct cua_trial *trial;
        struct cua_trial_answers *gpus; /* for NVML */
        bool sayable;                   /* as a question that can be kept */
        struct cua_question question;
    } item[CUA_TRIAL_FILES + 1];
    size_t items;
};

static void add_item(struct work *work, const char *file, struct cua_trial *trial, bool nvml)
{
    size_t i = work->items++;

    cua_trial_clear(trial);
    trial->how = CUA_TRIAL_UNTRIED;
    work->item[i].file = file;
    work->item[i].trial = trial;
    work->item[i].gpus = nvml ? work->answers : NULL;
    work->item[i].sayable = cua_question_make(&work->item[i].question, work->request, file, nvml);
}

static void add_items(struct work *work)
{
    const struct cua_trial_request *request = work->request;

    if (request->nvml)
        add_item(work, request->nvml, &work->answers->nvml, true);
    for (size_t i = 0; i < CUA_TRIAL_FILES && request->file[i]; i++)
        add_item(work, request->file[i], &work->answers->file[i], false);
}

/* Looks for what is not known yet; true where all is. */
static bool find_all(struct work *work)
{
    bool all = true;

    for (size_t i = 0; i < work->items; i++) {
        struct cua_trial found;
        if (work->item[i].trial->how != CUA_TRIAL_UNTRIED)
            continue;
        bool known = work->item[i].sayable &&
                     cua_answers_find(work->folder, work->kept, &work->item[i].question, &found,
                                      work->item[i].gpus);
        if (known)
            *work->item[i].trial = found;
        all = all && known;
    }
    return all;
}

/* Whoever has the lock may be asking the same. */
static int take_turn(struct work *work)
{
    for (int nap = CUA_NAP_MS;; nap = nap < CUA_NAP_MOST_MS ? nap * 2 : nap) {
        struct timespec time = {0, nap * 1000000L};
        int err = cua_answers_lock(work->folder);
        if (err != -EWOULDBLOCK && err != -EINTR)
            return err;
        if (cua_child_now() + nap + CUA_LEAST_MS >= work->deadline)
            return -EBUSY;
        /* Not nanosleep(), which is a cancellation point. */
        syscall(SYS_ppoll, NULL, 0, &time, NULL, 0);
        if (work->kept && find_all(work))
            return -EALREADY;
    }
}

/* Where the native driver's answer makes the difference, it is asked in the same run. */
static void ask_native(struct work *work, struct cua_trial *trial, const char *file)
{
    const char *native = work->request->native;
    struct cua_trial answer;

    if ((trial->how != CUA_TRIAL_UNLOADED && trial->code != 100) || !native ||
        strcmp(native, file) == 0 || cua_child_now() + CUA_LEAST_MS >= work->deadline)
        return;
    if (run(&answer, NULL, work->request, native, work->deadline) == 0 &&
        answer.how == CUA_TRIAL_RAN)
        trial->native = answer.code;
}

/* Under the lock. */
static int try_all(struct work *work)
{
    bool all = find_all(work), room = !all && work->kept && cua_answers_room(work->folder);

    for (size_t i = 0; !all && i < work->items; i++) {
        struct cua_trial *trial = work->item[i].trial;
        bool keeps = work->item[i].sayable && (room || !work->kept);
        if (trial->how != CUA_TRIAL_UNTRIED)
            continue;
        if (work->request->when != CUA_TRIAL_ALWAYS && !(keeps && room))
            return -EROFS;
        long long left = work->deadline - cua_child_now();
        if (left < CUA_LEAST_MS)
            return -ETIME;
        int err = run(trial, work->item[i].gpus, work->request, work->item[i].file, work->deadline);
        if (err)
            return err;
        if (!work->item[i].gpus)
            ask_native(work, trial, work->item[i].file);
        work->item[i].question.limit = (unsigned)((left + 999) / 1000);
        if (keeps)
            cua_answers_keep(work->folder, work->kept, &work->item[i].question, trial,
                             work->item[i].gpus);
    }
    return 0;
}

static int ask(struct work *work)
{
    const struct cua_trial_request *request = work->request;

    if (request->when == CUA_TRIAL_NEVER || !request->home)
        return -ECANCELED;
    work->folder = cua_answers_open(&work->kept);
    if (work->folder < 0)
        return work->folder;
    int err = 0;
    if (!work->kept && request->when != CUA_TRIAL_ALWAYS)
        err = -EROFS;
    else if (!work->kept || !find_all(work))
        err = cua_child_now() + CUA_LEAST_MS >= work->deadline ? -ETIME : take_turn(work);
    else
        err = -EALREADY;
    if (err == 0) {
        err = try_all(work);
        cua_answers_unlock(work->folder);
    }
    close(work->folder);
    return err == -EALREADY ? 0 : err;
}

static const char *why_not(int err)
{
    return err == -EROFS       ? "no folder keeps the answer: neither /run, /tmp nor /dev/shm"
           : err == -EBUSY     ? "another process's trial took the time"
           : err == -ETIME     ? "this process has waited long enough for trials"
           : err == -ECANCELED ? "trials are off"
                               : strerror(-err);
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
        add_items(work);
        err = ask(work);
        for (size_t i = 0; i < work->items; i++)
            if (work->item[i].trial->how == CUA_TRIAL_UNTRIED)
                snprintf(work->item[i].trial->trouble, sizeof(work->item[i].trial->trouble), "%s",
                         why_not(err));
        free(work);
    }
    add_wait(from);
    errno = saved;
    return err;
}

enum cua_trial_says cua_trial_counts(const struct cua_trial *trial)
{
    if (trial->how == CUA_TRIAL_UNLOADED)
        return trial->native >= 0 && strcmp(trial->step, "needs") != 0 ? CUA_TRIAL_SAYS_FAILS
                                                                       : CUA_TRIAL_SAYS_NOTHING;
    if (trial->how != CUA_TRIAL_RAN)
        return CUA_TRIAL_SAYS_NOTHING;
    switch (trial->code) {
    case 0:
        return CUA_TRIAL_SAYS_WORKS;
    case 34:  /* CUDA_ERROR_STUB_LIBRARY */
    case 803: /* CUDA_ERROR_SYSTEM_DRIVER_MISMATCH */
    case 804: /* CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE */
        return CUA_TRIAL_SAYS_FAILS;
    case 100: /* CUDA_ERROR_NO_DEVICE: there is none, or not for this one */
        return trial->native == 0 ? CUA_TRIAL_SAYS_FAILS : CUA_TRIAL_SAYS_NOTHING;
    default:
        return CUA_TRIAL_SAYS_NOTHING;
    }
}
