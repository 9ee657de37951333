/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/nri/missed.h"

#include <fcntl.h>
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

#define MOST    ((size_t)64 << 10)
#define SECONDS 10

/* Numbers of fields, and of a state: containerd/nri pkg/api/api.proto. */
enum { REQUEST_CONTAINERS = 2 };
enum { ID = 1, NAME = 3, STATE, ANNOTATIONS = 6, PROCESS = 12 };
enum { KEY = 1, VALUE };
#define RUNNING 3

static void put(char *to, size_t size, struct cua_bytes from)
{
    snprintf(to, size, "%.*s", (int)(from.size < size ? from.size : size), (const char *)from.at);
}

static void read_annotation(struct cua_container *container, struct cua_bytes entry)
{
    const struct {
        const char *key;
        char *to;
    } rows[] = {
        {"io.kubernetes.cri.sandbox-namespace", container->namespace},
        {"io.kubernetes.cri.sandbox-name", container->pod},
        {"io.kubernetes.cri.image-name", container->image},
    };
    struct cua_bytes key = {0}, value = {0};
    struct cua_field field;

    while (cua_field_next(&entry, &field) > 0)
        *(field.number == KEY ? &key : &value) = field.bytes;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (cua_bytes_are(key, rows[i].key))
            put(rows[i].to, sizeof(container->pod), value);
}

/* False if the container does not run. */
static bool read_message(struct cua_container *container, struct cua_bytes message)
{
    struct cua_field field;
    uint64_t state = 0;

    while (cua_field_next(&message, &field) > 0)
        if (field.number == ID)
            put(container->id, sizeof(container->id), field.bytes);
        else if (field.number == NAME)
            put(container->name, sizeof(container->name), field.bytes);
        else if (field.number == STATE)
            state = field.value;
        else if (field.number == ANNOTATIONS)
            read_annotation(container, field.bytes);
        else if (field.number == PROCESS && field.value <= INT32_MAX)
            container->pid = (long)field.value;
    return state == RUNNING && container->pid > 1 && container->id[0];
}

/* Whether the process is the container's. It is another one if this plugin runs in a pid namespace
 * of its own, or if the container has just ended. */
static bool is_its(const struct cua_container *container, int process)
{
    char *cgroup = cua_whole(openat(process, "cgroup", O_RDONLY | O_CLOEXEC), MOST, NULL);
    char id[CUA_SENDER_ID + 1] = "";

    if (cgroup)
        cua_sender_cgroup(cgroup, id);
    free(cgroup);
    return strcmp(id, container->id) == 0;
}

/* Whether this plugin runs in the container itself, as in the DaemonSet's. */
static bool is_own(int process)
{
    char other[64] = "", own[64] = "";

    return readlinkat(process, "ns/mnt", other, sizeof(other) - 1) < 0 ||
           readlink("/proc/self/ns/mnt", own, sizeof(own) - 1) < 0 || strcmp(own, other) == 0;
}

/* Whether the journal has a line of this container: the hook ran for it, or it was found before. */
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

static void look_at(struct cua_container *container)
{
    char path[32];

    snprintf(path, sizeof(path), "/proc/%ld", container->pid);
    int process = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int root = process < 0 ? -1 : openat(process, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (root >= 0 && is_its(container, process) && !is_own(process) && !is_known(container->id) &&
        cua_container_has_gpu(root) && !cua_root_served(root))
        cua_journal(container, "missed", "it was started while the plugin did not run", 0, "");
    if (root >= 0)
        close(root);
    if (process >= 0)
        close(process);
}

void cua_nri_missed(struct cua_bytes request, int socket)
{
    struct cua_field field;

    signal(SIGCHLD, SIG_IGN);
    if (fork() != 0)
        return;
    close(socket);
    /* A system call that never returns outlives this; the plugin does not need the child. */
    alarm(SECONDS);
    while (cua_field_next(&request, &field) > 0) {
        struct cua_container container = {.root = -1};

        if (field.number == REQUEST_CONTAINERS && read_message(&container, field.bytes))
            look_at(&container);
    }
    _exit(0);
}
