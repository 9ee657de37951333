/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/trial.h"

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuarbiter/names.h"
#include "base/oldstat.h"
#include "base/text.h"
#include "trial/child.h"
#include "trial/report.h"

#define CUA_STRINGIFY(x) #x
#define CUA_STRING(x)    CUA_STRINGIFY(x)

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
static char *library_path(const struct cua_settings *settings, const char *file)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(file, '/');
    const char *rest = settings->library_path ? settings->library_path : "";
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
static char **environment(const struct cua_settings *settings, char *path)
{
    static char policy_off[] = CUA_ENV_POLICY "=off";
    char *const *from = settings->env ? settings->env : environ;
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

static void take_report(struct cua_trial *trial, char *report)
{
    char *rest = report, *line;

    while ((line = strsep(&rest, "\n")) && rest)
        cua_trial_line(trial, line);
}

/* For a report that is not whole: the helper did not get to its end. */
static void judge(struct cua_trial *trial, const struct cua_child *child)
{
    if (!child->ended) {
        trial->how = CUA_TRIAL_TIMEOUT;
        snprintf(trial->trouble, sizeof(trial->trouble), "no answer in %u s%s", child->timeout,
                 child->left_behind ? "; the child could not be killed and is left behind" : "");
        return;
    }
    trial->how = CUA_TRIAL_BROKEN;
    if (child->status != -1 && WIFSIGNALED(child->status))
        snprintf(trial->trouble, sizeof(trial->trouble), "the child ended by signal %d",
                 WTERMSIG(child->status));
    else if (child->status != -1 && WIFEXITED(child->status))
        snprintf(trial->trouble, sizeof(trial->trouble), "the child ended with exit code %d",
                 WEXITSTATUS(child->status));
    else
        snprintf(trial->trouble, sizeof(trial->trouble), "the child ended without an answer");
}

static int run(struct cua_trial *trial, const struct cua_settings *settings, const char *file,
               unsigned timeout, bool contexts, char *path)
{
    char command[PATH_MAX], verb[] = "trial", helper[] = "--helper", with[] = "--contexts";
    char end[] = "--", fd[] = CUA_STRING(CUA_CHILD_FD);
    struct cua_child *child = calloc(1, sizeof(*child));
    char **env = environment(settings, path), *name = strdup(file);
    char *argv[] = {command,
                    verb,
                    helper,
                    fd,
                    contexts ? with : end,
                    contexts ? end : name,
                    contexts ? name : NULL,
                    NULL};
    int err = -ENOMEM;

    if (!child || !env || !name)
        goto out;
    err = -ENAMETOOLONG;
    if (!cua_join(command, sizeof(command), settings->home, CUA_FILE_COMMAND))
        goto out;
    child->path = command;
    child->argv = argv;
    child->env = env;
    child->timeout = timeout ? timeout : 1;
    err = cua_child_run(child);
    if (!err && child->interrupted)
        err = -EINTR;
    if (err)
        goto out;
    bool whole = cua_ends(child->report, CUA_CHILD_END);
    take_report(trial, child->report);
    trial->left_behind = child->left_behind;
    if (!whole)
        judge(trial, child);
out:
    free(name);
    free(env);
    free(child);
    return err;
}

int cua_trial_run(struct cua_trial *trial, const struct cua_settings *settings, const char *file,
                  unsigned timeout, bool contexts)
{
    int saved = errno;

    cua_trial_clear(trial);
    if (!settings->home || file[0] != '/')
        return -EINVAL;
    char *path = library_path(settings, file);
    int err = run(trial, settings, file, timeout, contexts, path);
    free(path);
    errno = saved;
    return err;
}
