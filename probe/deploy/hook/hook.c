/* SPDX-License-Identifier: Apache-2.0 */
/* The hook. It runs with the host's root and the runtime's rights, in the container's mount
 * namespace, before the container's root is entered. It executes nothing. The container's names,
 * links and files are followed only below its root. In doubt the container starts as it would
 * without the hook. */
#include "deploy/hook/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "cli/home.h"
#include "deploy/hook/container.h"
#include "deploy/hook/copy.h"
#include "deploy/hook/journal.h"
#include "deploy/hook/libc.h"
#include "deploy/hook/root.h"
#include "deploy/hook/wrapper.h"
#include "cli/options.h"

#define MOST_LOG  (1 << 20)
#define MOST_TIME 900 /* milliseconds; the wrapper allows a second */

struct hook {
    const char *home;
    bool always;
    int log;
};

/* Opens the node administrator's log. A link or a pipe in its place is not written to, and the log
 * does not grow without limit. */
static int open_log(const char *path)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    struct stat st;

    if (fd >= 0 && (cua_fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > MOST_LOG)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Logs the result. `why`: why the container was left alone; NULL: it was not. `drivers`: the
 * brought drivers that it has, or why it has none. */
static void note(const struct hook *hook, const struct cua_container *container, const char *why,
                 int error, const char *drivers)
{
    char line[1024];
    const char *id = container->id;
    int size = snprintf(line, sizeof(line), "%s: %s%s%s%s%s\n", id[0] ? cua_shown(id) : "container",
                        why ? why : "added", error ? ": " : "", error ? strerror(-error) : "",
                        drivers[0] ? "; drivers: " : "", drivers);

    cua_journal(container, why, error, drivers);
    if (hook->log >= 0 && size > 0 &&
        write(hook->log, line, (size_t)size < sizeof(line) ? (size_t)size : sizeof(line) - 1) < 0)
        return;
}

static void serve(const struct hook *hook, const struct cua_container *container)
{
    struct cua_root root = {.top = container->root, .writable = -1, .folder = -1, .preload = -1};
    struct cua_copy copy = {.folder = -1, .site = {-1, -1}, .reports = {-1, -1}};
    int error = cua_root_check(&root, container->pid);

    if (!error)
        error = cua_root_libc(&root);
    if (!error)
        error = cua_root_read(&root);
    /* The files are checked before the places, so that nothing is created if they are not right. */
    if (!error)
        error = cua_copy_make(&copy, &root, hook->home, container);
    if (!error)
        error = cua_root_places(&root);
    if (!error)
        error = cua_copy_mount(&copy, &root);
    note(hook, container, error ? root.why ? root.why : copy.why : NULL, error,
         error ? "" : copy.drivers.text);
    cua_copy_release(&copy);
    cua_root_release(&root);
}

/* Returns 0, or the status by which the wrapper knows that the state was read to its end. */
static int work(const struct hook *hook, struct cua_container *container)
{
    int error = cua_container_read(container, STDIN_FILENO);

    if (error)
        note(hook, container, container->why, error, "");
    else if (container->refuses)
        note(hook, container, "the container refuses it", 0, "");
    else if (!container->gpu && !hook->always)
        note(hook, container, "no GPU", 0, "");
    else
        serve(hook, container);
    return getenv(CUA_HOOK_VARIABLE) && container->read ? CUA_HOOK_READ : 0;
}

/* Does the work in a child, because a process that reads from a file system that does not answer
 * survives SIGKILL: then the child is left behind. The call in which it hangs may still complete
 * later, but nothing after that runs. */
static int work_apart(const struct hook *hook)
{
    /* Shared memory, so that the parent can log which container it was if the child hangs. */
    struct cua_container alone, *container = mmap(NULL, sizeof(*container), PROT_READ | PROT_WRITE,
                                                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct pollfd ends = {.events = POLLIN};
    int status = 0, life[2];
    pid_t child = container == MAP_FAILED || pipe2(life, O_CLOEXEC) ? -1 : fork();

    if (child < 0)
        return work(hook, &alone);
    if (child == 0)
        _exit(work(hook, container));
    close(life[1]);
    ends.fd = life[0];
    if (poll(&ends, 1, MOST_TIME) > 0 && waitpid(child, &status, 0) == child)
        return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    kill(child, SIGKILL);
    note(hook, container, "its root file system does not respond", -ETIMEDOUT, "");
    return 0;
}

static int run(int argc, char **argv)
{
    struct hook hook = {.home = cua_home_folder(), .log = -1};
    int option, code = 0;

    while ((option = cua_option(&cua_verb_hook, argc, argv, false, &code)) != -1) {
        if (option == CUA_OPTION_DONE)
            return code;
        if (option == 'd')
            hook.home = optarg;
        else if (option == 'a')
            hook.always = true;
        else
            hook.log = open_log(optarg);
    }
    if (optind < argc || isatty(STDIN_FILENO))
        return cua_usage(&cua_verb_hook, optind < argc ? "there is one argument too many"
                                                       : "only a container engine starts it");
    return work_apart(&hook);
}

const struct cua_verb cua_verb_hook = {
    .name = "hook",
    .run = run,
};
