/* SPDX-License-Identifier: Apache-2.0 */
/* Large structs are allocated, because the calling thread may have a small stack. The helper
 * (attempt.h) is the child process that tries the file. The asking program is the one for which a
 * libcuda is being chosen. */
#include "trial/attempt.h"

#include <errno.h>
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

/* Whether `theirs`, the result of stat(2), belongs to the libc that the asking program has mapped
 * (loader/mapped.h). */
static bool is_our_libc(const struct stat *theirs)
{
    const struct cua_mapped *mapped = cua_mapped();
    struct stat ours;

    for (size_t i = 0; i < mapped->count; i++)
        if (cua_ends(mapped->object[i].name, "/libc.so.6") &&
            cua_stat(mapped->object[i].name, &ours) == 0 && ours.st_dev == theirs->st_dev &&
            ours.st_ino == theirs->st_ino)
            return true;
    return false;
}

/* Whether the file's folder, the first `folder` characters of its path, may be put into the
 * helper's LD_LIBRARY_PATH. It may not if its path contains a character that is special there, or
 * if it holds another libc than the asking program's. Such a folder belongs to another system, and
 * its libc would not match this system's ld.so. */
static bool fits_library_path(const char *file, int folder)
{
    struct stat st;
    char *libc;

    if (strcspn(file, ":;$") < (size_t)folder ||
        asprintf(&libc, "%.*s/libc.so.6", folder, file) < 0)
        return false;
    bool fits = cua_stat(libc, &st) != 0 || is_our_libc(&st);
    free(libc);
    return fits;
}

/* Returns "LD_LIBRARY_PATH=..." for the helper: the file's folder if it may be there, then the
 * asking program's own folders. NULL: the helper gets no such variable, or there is no memory. */
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

/* Whether a variable belongs to a debugger, profiler or memory checker of the program. The helper
 * does not get such a variable: the tool would load its code into the helper, make it wait for the
 * tool's user, or write its findings into the program's files. Sources: cuGetEnv in libcuda 390 to
 * 555, NVML's log, compute-sanitizer 13.5, CUPTI 12.9, Nsight, ld.so(8), CUDA's Environment
 * Variables page (CUDA_LOG_FILE, 12.9). */
static bool is_tools(const char *entry)
{
    static const char *const beginnings[] = {
        "CUDA_INJECTION",
        "NVTX_INJECTION",
        "CUDBG_",
        "CUDA_COREDUMP_",
        "CUDA_ENABLE_COREDUMP_ON_EXCEPTION=",
        "CUDA_ENABLE_CPU_COREDUMP_ON_EXCEPTION=",
        "CUDA_ENABLE_LIGHTWEIGHT_COREDUMP=",
        "CUDA_ENABLE_USER_TRIGGERED_COREDUMP=",
        "CUDA_DEVICE_WAITS_ON_EXCEPTION=",
        "CUDA_LOG_FILE=",
        "CUDA_MEMCHECK",
        "CUDA_PROFILE",
        "COMPUTE_PROFILE",
        "CUPTI_",
        "NSYS_",
        "QUADD_",
        "NV_COMPUTE_PROFILER_",
        "NV_COMPUTE_SANITIZER_",
        "NV_NSIGHT_",
        "NV_PROFILE_",
        "NV_SANITIZER_",
        "NV_TPS_LAUNCH_",
        "SANITIZER_",
        "__NVML_DBG_",
        "LD_DEBUG",
        "LD_PROFILE",
    };

    for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++)
        if (cua_starts(entry, beginnings[i]))
            return true;
    return false;
}

/* Returns the helper's environment; NULL: no memory. `path`: its LD_LIBRARY_PATH entry, or NULL.
 * The caller frees the array, but not the strings. CUARBITER_POLICY=off keeps a shim from
 * /etc/ld.so.preload inactive in the helper. */
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
        if (!is_replaced(from[i]) && !is_tools(from[i]))
            env[n++] = from[i];
    env[n++] = CUA_ENV_POLICY "=off";
    env[n] = path;
    return env;
}

#define BY_CHILD "the child process that tried it "

/* Sets the result for a helper that died or hung before its report was complete. */
static void judge(struct cua_trial *trial, const struct cua_child *child, long long limit)
{
    int status = child->status, signal = status != -1 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;

    trial->how = CUA_TRIAL_BROKEN;
    if (!child->ended) {
        trial->how = CUA_TRIAL_TIMEOUT;
        snprintf(trial->trouble, sizeof(trial->trouble), "no answer in %lld s%s",
                 (limit + 999) / 1000,
                 child->left_behind ? "; " BY_CHILD "could not be killed and is left behind" : "");
    } else if (signal) {
        /* While ld.so loads the file, these signals mostly mean that the file is truncated and
         * ld.so read beyond its end. So the file counts as one that does not load. */
        if (trial->step == CUA_STEP_LOAD &&
            (signal == SIGBUS || signal == SIGSEGV || signal == SIGILL))
            trial->how = CUA_TRIAL_UNLOADED;
        snprintf(trial->trouble, sizeof(trial->trouble), BY_CHILD "ended by signal %d", signal);
    } else if (status != -1 && WIFEXITED(status)) {
        snprintf(trial->trouble, sizeof(trial->trouble), BY_CHILD "ended with exit code %d",
                 WEXITSTATUS(status));
    } else {
        /* It closed its end of the pipe, and then could not be reaped. */
        snprintf(trial->trouble, sizeof(trial->trouble),
                 BY_CHILD "gave no answer, could not be killed and is left behind");
    }
}

/* Whether the command, the file that is to be executed, belongs to a stranger: neither to root, nor
 * to this user, nor to the owner of this process's executable. If everybody may write to the
 * folder, a stranger can put a file of the command's name there. */
static bool is_strangers(const char *command)
{
    struct stat st, own;

    return cua_stat(command, &st) == 0 && st.st_uid && st.st_uid != geteuid() &&
           (cua_stat("/proc/self/exe", &own) != 0 || own.st_uid != st.st_uid);
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
    if (is_strangers(command)) {
        err = CUA_BAR_STRANGER;
        goto out;
    }
    const char *driver[] = {command, "trial", "--helper", fd, "--", file, NULL};
    const char *nvml[] = {command, "trial", "--helper", fd, "--nvml", "--", file, NULL};
    const char *kernel[] = {command, "trial", "--helper", fd, "--kernel", "--", file, NULL};
    child->argv = answers ? nvml : request->kernel ? kernel : driver;
    child->env = env;
    child->deadline = deadline;
    err = cua_child_run(child);
    if (err == -ENOENT)
        err = CUA_BAR_NO_COMMAND;
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
