/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/nri/missed.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "base/whole.h"
#include "deploy/collect/sender.h"
#include "deploy/hook/container.h"
#include "deploy/hook/journal.h"
#include "deploy/hook/root.h"
#include "deploy/nri/request.h"

#define MOST      ((size_t)64 << 10)
#define MOST_TIME 500 /* milliseconds for one container */
#define SECONDS   60  /* for all of them */

/* Whether the process with the number container->pid is in the container, by its cgroup. `process`:
 * the folder /proc/PID. The number belongs to another process if this plugin runs in a pid
 * namespace of its own, or if the container has just ended. */
static bool is_its(const struct cua_container *container, int process)
{
    char *cgroup = cua_whole(openat(process, "cgroup", O_RDONLY | O_CLOEXEC), MOST, NULL);
    char id[CUA_SENDER_ID + 1] = "";

    if (cgroup)
        cua_sender_cgroup(cgroup, id);
    free(cgroup);
    return strcmp(id, container->id) == 0;
}

/* Whether the journal of cuarbiter's OCI hook (deploy/hook/journal.h) has a line about the
 * container with this ID. If so, the hook ran for it, or it was reported as missed before. */
static bool is_known(const char *id)
{
    static const char *const names[] = {CUA_JOURNAL, CUA_JOURNAL_OLD};
    bool known = false;

    for (size_t i = 0; i < 2 && !known; i++) {
        size_t size = 0;
        char *text = cua_journal_read(names[i], &size);
        known = text && memmem(text, size, id, strlen(id));
        free(text);
    }
    return known;
}

/* Looks into a container's root, in a child, because the container's file system may not respond.
 * If it does not respond, writes a line to the journal, so that the next plugin does not try the
 * same container again. */
static void look_into(const struct cua_container *container, int root)
{
    int life[2];
    struct pollfd ends = {.events = POLLIN};

    if (pipe2(life, O_CLOEXEC))
        return;
    pid_t child = fork();
    if (child == 0) {
        if (cua_container_has_gpu(root) && !cua_root_served(root))
            cua_journal(container, "missed", "it was started while the plugin did not run", 0, "");
        _exit(0);
    }
    close(life[1]);
    ends.fd = life[0];
    if (child > 0 && poll(&ends, 1, MOST_TIME) == 0) {
        kill(child, SIGKILL);
        cua_journal(
            container, "left",
            "it ran before the plugin, and could not be checked: its root file system did not "
            "respond within 0.5 seconds",
            0, "");
    }
    close(life[0]);
}

static void look_at(struct cua_container *container)
{
    char path[32];

    snprintf(path, sizeof(path), "/proc/%ld", container->pid);
    int process = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int root = process < 0 ? -1 : openat(process, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);

    /* Do not report the container in which cuarbiter's DaemonSet runs this plugin. */
    if (root >= 0 && is_its(container, process) && !cua_root_is_beside(container->pid) &&
        !is_known(container->id))
        look_into(container, root);
    if (root >= 0)
        close(root);
    if (process >= 0)
        close(process);
}

void cua_nri_missed(struct cua_bytes request, int socket)
{
    struct cua_container container;
    bool running;

    signal(SIGCHLD, SIG_IGN);
    if (fork() != 0)
        return;
    close(socket);
    /* End the child if it takes too long. If it hangs in a system call that no signal ends, it
     * stays behind; the plugin does not wait for it. */
    alarm(SECONDS);
    while (cua_nri_next(&request, &container, &running))
        if (running && container.pid > 1 && !container.refuses)
            look_at(&container);
    _exit(0);
}
