/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs with the host's root, the runtime's rights and the container's mount namespace, before the
 * container's own root is entered. It executes nothing. What is of the container (names, links,
 * files) is looked at below its root alone. In doubt the container starts as it would without us.
 */
#include "command/hook/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "command/home.h"
#include "command/hook/container.h"
#include "command/hook/copy.h"
#include "command/hook/libc.h"
#include "command/hook/root.h"
#include "command/options.h"

#define MOST_LOG (1 << 20)

struct hook {
    const char *home;
    bool always;
    int log;
};

/* The log is the node administrator's: neither a link nor a pipe in its place is written to, and it
 * does not grow for ever. */
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

static void note(const struct hook *hook, const char *id, const char *what, int error)
{
    char line[512];
    int size = snprintf(line, sizeof(line), "%s: %s%s%s\n", id[0] ? cua_shown(id) : "container",
                        what, error ? ": " : "", error ? strerror(-error) : "");

    if (hook->log >= 0 && size > 0 &&
        write(hook->log, line, (size_t)size < sizeof(line) ? (size_t)size : sizeof(line) - 1) < 0)
        return;
}

static void serve(const struct hook *hook, const struct cua_container *container)
{
    struct cua_root root = {.top = container->root, .writable = -1, .folder = -1, .preload = -1};
    struct cua_copy copy = {.folder = -1, .site = -1, .site_mount = -1};
    int error = cua_root_check(&root, container->pid);

    if (!error)
        error = cua_root_libc(&root);
    if (!error)
        error = cua_root_read(&root);
    /* The files before the places: where these are not right, nothing is created. */
    if (!error)
        error = cua_copy_make(&copy, &root, hook->home, container);
    if (!error)
        error = cua_root_places(&root);
    if (!error)
        error = cua_copy_mount(&copy, &root);
    note(hook, container->id, error ? root.why ? root.why : copy.why : "added", error);
    cua_copy_release(&copy);
    cua_root_release(&root);
}

static int run(int argc, char **argv)
{
    struct hook hook = {.home = cua_home_folder(), .log = -1};
    struct cua_container container;
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
        return cua_usage(&cua_verb_hook,
                         optind < argc ? "one argument too many" : "a container engine starts it");
    int error = cua_container_read(&container, STDIN_FILENO);
    if (error)
        note(&hook, container.id, container.why, error);
    else if (container.refuses)
        note(&hook, container.id, "it says no", 0);
    else if (!container.gpu && !hook.always)
        note(&hook, container.id, "no GPU", 0);
    else
        serve(&hook, &container);
    return 0;
}

const struct cua_verb cua_verb_hook = {
    .name = "hook",
    .run = run,
};
