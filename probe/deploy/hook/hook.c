/* SPDX-License-Identifier: Apache-2.0 */
/* Engines start the hook through a shell, the wrapper (wrapper.h). The hook runs with the runtime's
 * rights in the container's mount namespace, while / is still the host's root. So it does not trust
 * the container's files: it executes none of them, and it resolves the container's paths below the
 * container's root. To serve a container means to add cuarbiter to it. If a check or a necessary
 * step fails, the hook leaves the container alone: the container starts without cuarbiter. */
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
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "cli/home.h"
#include "cuarbiter/names.h"
#include "deploy/hook/container.h"
#include "deploy/hook/copy.h"
#include "deploy/hook/journal.h"
#include "deploy/hook/kernel.h"
#include "deploy/hook/libc.h"
#include "deploy/hook/root.h"
#include "deploy/hook/wrapper.h"
#include "cli/options.h"

#ifndef SYS_close_range
#define SYS_close_range 436 /* the same number on every architecture; Linux 5.9 */
#endif

#define MOST_LOG  (1 << 20)
#define MOST_TIME 900 /* milliseconds; the wrapper (wrapper.h) kills the hook after a second */

struct hook {
    const char *home; /* the folder with cuarbiter's files */
    bool always;      /* --always: serve containers without a GPU too */
    int log;          /* descriptor of the file of --log; -1: none */
};

/* Opens the log file of the option --log. Returns -1, so that nothing is logged, if the file cannot
 * be opened, is a link, is not a regular file, or is larger than MOST_LOG already. */
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

/* Writes what the hook did to the log of --log and to the journal (journal.h). `why`: why the
 * container was left alone; NULL if the container got cuarbiter. `error`: the -errno that belongs
 * to `why`, or 0. `drivers`: which drivers from the node's store (brought.h) the container got, or
 * why it got none; "" if the node has none or the container was left alone. */
static void note(const struct hook *hook, const struct cua_container *container, const char *why,
                 int error, const char *drivers)
{
    char line[1024];
    const char *id = container->id;
    int size = snprintf(line, sizeof(line), "%s: %s%s%s%s%s\n", id[0] ? cua_shown(id) : "container",
                        why ? why : "added", error ? ": " : "", error ? strerror(-error) : "",
                        drivers[0] ? "; drivers: " : "", drivers);

    cua_journal(container, why ? "left" : "added", why, error, drivers);
    if (hook->log >= 0 && size > 0 &&
        write(hook->log, line, (size_t)size < sizeof(line) ? (size_t)size : sizeof(line) - 1) < 0)
        return;
}

/* Whether the container has CUA_FILE_SITE, which its programs then read instead of the node's. */
static bool has_site(int top)
{
    int fd = cua_open_inside(top, &CUA_FILE_SITE[1], O_PATH, 0, CUA_INSIDE);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static void serve(const struct hook *hook, struct cua_container *container)
{
    struct cua_root root = {.top = container->root, .writable = -1, .folder = -1, .preload = -1};
    struct cua_copy copy = {.folder = -1, .site = {-1, -1}, .reports = {-1, -1}};
    int error = cua_root_check(&root, container->pid);

    container->own_site = !error && has_site(root.top);
    if (!error)
        error = cua_root_libc(&root);
    if (!error)
        error = cua_root_read(&root);
    /* cua_copy_make, which checks cuarbiter's files, comes before cua_root_places. If the files are
     * damaged, cua_root_places must not create files in the container. */
    if (!error)
        error = cua_copy_make(&copy, &root, hook->home, container);
    if (!error)
        error = cua_root_places(&root);
    if (!error)
        error = cua_copy_mount(&copy, &root);
    /* Log nothing if the hook has served this container before. The hook runs twice if two
     * mechanisms, such as CDI and NRI, start it for one container; the first run has done and
     * logged everything. */
    const char *why = error == -ENOSYS ? CUA_HOOK_KERNEL : root.why ? root.why : copy.why;
    if (!root.served)
        note(hook, container, error ? why : NULL, error, error ? "" : copy.drivers.text);
    cua_copy_release(&copy);
    cua_root_release(&root);
}

/* Serves the container, or leaves it alone. Returns the exit status. It is CUA_HOOK_READ if
 * standard input had the container's state, whole and as JSON, and if the wrapper knows this status
 * (it sets CUA_HOOK_VARIABLE). Otherwise the exit status is 0. */
static int work(const struct hook *hook, struct cua_container *container)
{
    int error = cua_container_read(container, STDIN_FILENO);

    if (error)
        note(hook, container, container->why, error, "");
    else if (container->refuses)
        note(hook, container,
             strcmp(container->policy, "off") == 0
                 ? "the container refuses it: CUARBITER_POLICY=off"
                 : "the container refuses it: annotation " CUA_HOOK_ANNOTATION,
             0, "");
    else if (!container->gpu && !hook->always)
        note(hook, container, "no GPU", 0, "");
    else
        serve(hook, container);
    return getenv(CUA_HOOK_VARIABLE) && container->read ? CUA_HOOK_READ : 0;
}

/* Calls work() in a child. Returns its result; 0 if a signal ends the child, or if it does not end
 * within MOST_TIME. A file system that does not respond can block the child in a system call that
 * even SIGKILL does not end. So the parent kills the child but does not wait for its end, and the
 * engine can go on. If no child can be made, calls work() in this process. */
static int work_apart(const struct hook *hook)
{
    /* The child fills in `container`, which is in shared memory. So the parent can log the
     * container's ID if the child hangs. */
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
    /* Log in another child, because the file system that does not respond may be the log's. */
    if (fork() == 0) {
        note(hook, container,
             "the hook took longer than 0.9 seconds (a file system that does not respond, or a "
             "busy node)",
             -ETIMEDOUT, "");
        _exit(0);
    }
    return 0;
}

/* Closes the descriptors that the hook inherits from runc. runc uses them to wait until the
 * container's process has ended its preparations. If a process of the hook hung with one of them
 * open, the container would not start until that process ended. */
static void close_inherited(void)
{
    syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
}

static int run(int argc, char **argv)
{
    struct hook hook = {.home = cua_home_folder(), .log = -1};
    int option, code = 0;

    close_inherited();
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
        return cua_usage(&cua_verb_hook, optind < argc ? "it takes no argument"
                                                       : "only a container engine starts it");
    return work_apart(&hook);
}

const struct cua_verb cua_verb_hook = {
    .name = "hook",
    .run = run,
};
