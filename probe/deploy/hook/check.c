/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/hook/check.h"
#include "deploy/hook/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "base/whole.h"
#include "deploy/hook/kernel.h"
#include "deploy/hook/libc.h"
#include "deploy/hook/wrapper.h"
#include "cli/replace_file.h"
#include "cli/verb.h"
#include "cuarbiter/names.h"

#define MOST_FILE ((size_t)32 << 20)

static const char config[] = "{\"ociVersion\": \"1.0.2\", \"root\": {\"path\": \"root\"},\n"
                             " \"annotations\": {\"cdi.k8s.io/check\": \"nvidia.com/gpu=0\"},\n"
                             " \"linux\": {\"namespaces\": [{\"type\": \"mount\"}]}}\n";

static int complain(const char *what, int error)
{
    cua_complain("node", "%s: %s", what, strerror(-error));
    return 1;
}

/* Called for each object of this process (dl_iterate_phdr). If the object is the loader or libc,
 * copies its file, which is the node's, to the root of the test container (check.h), because the
 * hook refuses a root without glibc. `data`: the folder of the test container. Returns 0 or
 * -errno. */
static int copy_own(struct dl_phdr_info *info, size_t size, void *data)
{
    const char *folder = data, *name = cua_basename(info->dlpi_name), *to = NULL;
    char path[PATH_MAX];
    size_t length = 0;

    (void)size;
    if (cua_starts(name, "ld-linux") || cua_starts(name, "ld-2."))
        to = CUA_HOOK_LOADER;
    else if (cua_starts(name, "libc.so.6") || cua_starts(name, "libc-2."))
        to = "lib64/libc.so.6";
    if (!to)
        return 0;
    char *bytes = cua_whole_file(info->dlpi_name, MOST_FILE, &length);
    snprintf(path, sizeof(path), "%s/root/%s", folder, to);
    int error = bytes ? cua_replace_file(path, bytes, length, 0755, NULL, true) : -errno;
    free(bytes);
    return error;
}

/* Makes the bundle of the test container in `folder`: its root folder and its config.json. Returns
 * 0 or -errno. */
static int furnish(const char *folder)
{
    static const char *const parts[] = {"root", "root/etc", "root/lib", "root/lib64"};
    char path[PATH_MAX];

    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        if (cua_join(path, sizeof(path), folder, parts[i]) && mkdir(path, 0755))
            return -errno;
    int error = dl_iterate_phdr(copy_own, (void *)(uintptr_t)folder);
    if (!error && cua_join(path, sizeof(path), folder, "config.json"))
        error = cua_replace_file(path, config, strlen(config), 0644, NULL, true);
    return error;
}

/* Runs `script` with the shell, and with the environment in which engines start the hook. The
 * script's "$@" is the hook's command: `command` hook --log `log`. If the descriptor `state` is not
 * -1, it becomes the shell's standard input. Returns the shell's wait status, or -1. */
static int run_shell(const char *script, const char *command, const char *log, int state)
{
    const char *const argv[] = {"sh",   "-c",    script, "cuarbiter", command,
                                "hook", "--log", log,    NULL};
    const char *const env[] = {CUA_HOOK_PATH, NULL};
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        if (state < 0 || dup2(state, STDIN_FILENO) >= 0)
            execve(CUA_HOOK_SHELL, (char *const *)(uintptr_t)argv, (char *const *)(uintptr_t)env);
        _exit(127);
    }
    return child < 0 || waitpid(child, &status, 0) != child ? -1 : status;
}

static bool can_limit(void)
{
    return run_shell("timeout -s KILL 1 true >/dev/null 2>&1", "", "", -1) == 0;
}

static int run_hook(const char *folder, const char *command)
{
    char log[PATH_MAX], text[2 * PATH_MAX];
    int state[2];

    cua_join(log, sizeof(log), folder, "log");
    int size =
        snprintf(text, sizeof(text),
                 "{\"ociVersion\": \"1.0.2\", \"id\": \"check\", \"bundle\": \"%s\"}", folder);
    if (pipe2(state, O_CLOEXEC) || write(state[1], text, (size_t)size) != size)
        return complain("pipe", -errno);
    close(state[1]);
    if (!run_shell(CUA_HOOK_SCRIPT, command, log, state[0]))
        return 0;
    cua_complain("node", CUA_HOOK_SHELL " could not run the hook");
    return 1;
}

static int judge(const char *folder)
{
    char path[PATH_MAX];

    cua_join(path, sizeof(path), folder, "root/etc/ld.so.preload");
    char *text = cua_whole_file(path, MOST_FILE, NULL);
    bool added = text && strstr(text, "/" CUA_HOOK_FOLDER "/" CUA_FILE_SHIM "\n");
    free(text);
    if (added)
        return 0;
    cua_join(path, sizeof(path), folder, "log");
    text = cua_whole_file(path, MOST_FILE, NULL);
    if (text)
        text[strcspn(text, "\n")] = '\0';
    /* The hook's lines begin with the test container's ID. */
    cua_complain("node", "the hook does not work here: %s",
                 text && *text ? text + (cua_starts(text, "check: ") ? strlen("check: ") : 0)
                               : "it did not end within a second, or could not be started");
    free(text);
    return 1;
}

/* Mounts an empty tmpfs over `folder`. 0 or -errno. */
static int cover(const char *folder)
{
    int tmpfs = cua_mount_tmpfs(""), place = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

    return tmpfs < 0 ? tmpfs : place < 0 ? -errno : cua_mount_move(tmpfs, place);
}

/* Runs the hook for the test container on a tmpfs over `folder`, in a new mount namespace that ends
 * with this process. Returns 0 if the hook added cuarbiter to the container; 1 after an error
 * message. */
static int try_in(const char *folder, const char *command)
{
    if (unshare(CLONE_NEWNS))
        return complain("the check needs a mount namespace, so run it as root with CAP_SYS_ADMIN",
                        -errno);
    int error = cua_mount_apart();
    if (!error)
        error = cover(folder);
    /* Keep the test container out of the hook's journal in CUA_DIR_LOG, which is about the node's
     * containers. Cover /var/log, the folder above, because CUA_DIR_LOG may be missing and be
     * created during the check. */
    if (!error)
        (void)cover("/var/log");
    if (error)
        return complain(error == -ENOSYS ? CUA_HOOK_KERNEL : "a mount for the check was refused",
                        error);
    error = furnish(folder);
    if (error)
        return complain(folder, error);
    return run_hook(folder, command) || judge(folder);
}

/* cuarbiter's DaemonSet places each build in a folder `.cuarbiter-SUM`. Beside it, a link
 * `cuarbiter` leads to the current build. If `folder` is the real path of the current build,
 * replaces `folder` by the link's path, which stays right when the next build comes. */
static void prefer_link(char *folder)
{
    char link[PATH_MAX], real[PATH_MAX];
    const char *name = cua_basename(folder);

    if (cua_starts(name, ".cuarbiter-") &&
        cua_copy_n(link, sizeof(link), folder, (size_t)(name - folder)) &&
        cua_append(link, sizeof(link), "cuarbiter") && realpath(link, real) &&
        strcmp(real, folder) == 0)
        strcpy(folder, link);
}

int cua_hook_command(const char *folder, char *path, size_t size)
{
    char real[PATH_MAX], named[PATH_MAX];

    if (!folder[0]) {
        cua_complain("--dir",
                     "pass the folder with cuarbiter's files: it was not found from this command's "
                     "own path (is its file still called " CUA_FILE_COMMAND "?)");
        return 1;
    }
    if (!realpath(folder, real)) {
        cua_complain(folder, "%s", strerror(errno));
        return 1;
    }
    cua_copy(named, sizeof(named), folder[0] == '/' ? folder : real);
    prefer_link(named);
    if (cua_join(path, size, named, CUA_FILE_COMMAND))
        return 0;
    cua_complain(folder, "%s", strerror(ENAMETOOLONG));
    return 1;
}

int cua_hook_ready(const char *command)
{
    static const char *const files[] = {CUA_FILE_SHIM, CUA_FILE_ANSWERER, CUA_FILE_COMMAND};
    char path[PATH_MAX];

    bool shell = !access(CUA_HOOK_SHELL, X_OK);
    if (!shell || (access("/usr/bin/timeout", X_OK) && access("/bin/timeout", X_OK))) {
        cua_complain("hook",
                     "%s is missing; without it the hook could block a container, so install it",
                     shell ? "the timeout command, in /usr/bin or /bin," : CUA_HOOK_SHELL);
        return 1;
    }
    if (!can_limit()) {
        cua_complain("hook",
                     "\"timeout -s KILL 1 true\" fails on this host, as with busybox before "
                     "1.30; install another timeout command");
        return 1;
    }
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        cua_copy_n(path, sizeof(path), command, (size_t)(cua_basename(command) - command));
        if (!cua_append(path, sizeof(path), files[i]) || access(path, i > 0 ? X_OK : R_OK)) {
            cua_complain("hook", "%s: %s", path, strerror(errno));
            return 1;
        }
        if (!cua_guarded(path))
            return 1;
    }
    return 0;
}

int cua_hook_check(const char *command)
{
    char folder[] = "/tmp/cuarbiter-node-XXXXXX";
    int status = 0;

    if (cua_hook_ready(command))
        return 1;
    if (!mkdtemp(folder))
        return complain("/tmp", -errno);
    pid_t child = fork();
    if (child == 0)
        _exit(try_in(folder, command));
    int error = child < 0 || waitpid(child, &status, 0) != child ? complain("fork", -errno) : 0;
    rmdir(folder);
    return error || status;
}
