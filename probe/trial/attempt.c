/* SPDX-License-Identifier: Apache-2.0 */
/* On the heap: the thread that asks may have a small stack. */
#include "trial/attempt.h"

#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuarbiter/names.h"
#include "base/oldstat.h"
#include "base/text.h"
#include "loader/mapped.h"
#include "trial/child.h"
#include "trial/report.h"

/* Whether it is the libc of this process. */
static int is_our_libc(struct dl_phdr_info *info, size_t size, void *data)
{
    const struct stat *theirs = data;
    struct stat ours;

    (void)size;
    return info->dlpi_name && cua_ends(info->dlpi_name, "/libc.so.6") &&
           cua_stat(info->dlpi_name, &ours) == 0 && ours.st_dev == theirs->st_dev &&
           ours.st_ino == theirs->st_ino;
}

/* Whether the file's folder can stand in LD_LIBRARY_PATH: sayable there, and no other system's
 * library folder, whose libc would not go with this system's ld.so. */
static bool fits_library_path(const char *file, int folder)
{
    struct stat st;
    char *libc;

    if (strcspn(file, ":;$") < (size_t)folder ||
        asprintf(&libc, "%.*s/libc.so.6", folder, file) < 0)
        return false;
    bool fits = cua_stat(libc, &st) != 0 || cua_mapped_visit(is_our_libc, &st);
    free(libc);
    return fits;
}

/* "LD_LIBRARY_PATH=..." of the helper; NULL where it has none, or no memory. */
static char *library_path(const struct cua_trial_request *request, const char *file)
{
    const char *rest = request->settings->library_path ? request->settings->library_path : "";
    int folder = (int)(strrchr(file, '/') - file);
    char *out = NULL;

    if (!fits_library_path(file, folder))
        folder = 0;
    if ((folder || rest[0]) && asprintf(&out, "LD_LIBRARY_PATH=%.*s%s%s", folder, file,
                                        folder && rest[0] ? ":" : "", rest) < 0)
        return NULL;
    return out;
}

static bool is_replaced(const char *entry)
{
    return cua_starts(entry, "LD_PRELOAD=") || cua_starts(entry, "LD_AUDIT=") ||
           cua_starts(entry, "LD_LIBRARY_PATH=") || cua_starts(entry, CUA_ENV_POLICY "=");
}

/* The strings stay where they are; the array is the caller's. A shim that comes by
 * /etc/ld.so.preload steps aside by the policy. */
static const char **environment(const struct cua_trial_request *request, const char *path)
{
    char *const *from = request->settings->env ? request->settings->env : environ;
    size_t count = 0, n = 0;

    while (from && from[count])
        count++;
    const char **env = calloc(count + 3, sizeof(*env));
    if (!env)
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (!is_replaced(from[i]))
            env[n++] = from[i];
    env[n++] = CUA_ENV_POLICY "=off";
    env[n] = path;
    return env;
}

/* For a report that is not whole: the helper did not get to its end. */
static void judge(struct cua_trial *trial, const struct cua_child *child, long long limit)
{
    int status = child->status, signal = status != -1 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;

    trial->how = CUA_TRIAL_BROKEN;
    if (!child->ended) {
        trial->how = CUA_TRIAL_TIMEOUT;
        snprintf(trial->trouble, sizeof(trial->trouble), "no answer in %lld s%s",
                 (limit + 999) / 1000,
                 child->left_behind ? "; the child could not be killed and is left behind" : "");
    } else if (signal) {
        /* A file that was cut short: ld.so reads beyond its end. */
        if (trial->step == CUA_STEP_LOAD &&
            (signal == SIGBUS || signal == SIGSEGV || signal == SIGILL))
            trial->how = CUA_TRIAL_UNLOADED;
        snprintf(trial->trouble, sizeof(trial->trouble), "the child ended by signal %d", signal);
    } else if (status != -1 && WIFEXITED(status)) {
        snprintf(trial->trouble, sizeof(trial->trouble), "the child ended with exit code %d",
                 WEXITSTATUS(status));
    } else {
        snprintf(trial->trouble, sizeof(trial->trouble), "the child ended without an answer");
    }
}

int cua_attempt(struct cua_trial *trial, struct cua_trial_answers *answers,
                const struct cua_trial_request *request, const char *file, long long deadline)
{
    char *command = NULL, *path = library_path(request, file), fd[] = {'0' + CUA_CHILD_FD, 0};
    const char **env = environment(request, path);
    struct cua_child *child = cua_child_new();
    long long limit = deadline - cua_child_now();
    int err = -ENOMEM;

    if (!child || !env ||
        asprintf(&command, "%s/%s", request->settings->home, CUA_FILE_COMMAND) < 0)
        goto out;
    const char *driver[] = {command, "trial", "--helper", fd, "--", file, NULL};
    const char *nvml[] = {command, "trial", "--helper", fd, "--nvml", "--", file, NULL};
    child->argv = answers ? nvml : driver;
    child->env = env;
    child->deadline = deadline;
    err = cua_child_run(child);
    if (!err && child->interrupted)
        err = CUA_BAR_SIGNAL;
    if (err)
        goto out;
    if (!cua_trial_lines(trial, answers, child->report))
        judge(trial, child, limit);
    trial->left_behind = child->left_behind;
out:
    free(command);
    free(env);
    free(path);
    cua_child_free(child);
    return err;
}
