/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/cdi/watch.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/verb.h"
#include "cuarbiter/names.h"
#include "deploy/cdi/merge.h"

#define EVENTS (IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE_SELF | IN_MOVE_SELF)
/* Add the hook again after this many milliseconds without an inotify event, because a folder may be
 * replaced or mounted over without one. */
#define PERIOD 30000

/* Watches the folder of the specification `file`. If that folder does not exist, watches the folder
 * above it; if that does not exist either, watches nothing. Watching a folder that is already
 * watched changes nothing. Returns 0 or -errno. */
static int add(int notifier, const char *file)
{
    char folder[PATH_MAX];

    cua_copy(folder, sizeof(folder), file);
    for (int i = 0; i < 2; i++) {
        *strrchr(folder, '/') = '\0';
        if (inotify_add_watch(notifier, folder, EVENTS) >= 0)
            return 0;
        if (errno != ENOENT)
            break;
    }
    return errno == ENOENT ? 0 : -errno;
}

/* Whether a specification may have changed: the event names a file of cua_cdi_known (merge.h), is
 * about a folder, or reports that events were lost. This process's own temporary file has another
 * name, so a failed attempt to add the hook does not cause the next attempt. */
static bool is_ours(const struct inotify_event *event)
{
    if (!event->len || event->mask & (IN_ISDIR | IN_Q_OVERFLOW))
        return true;
    for (const char *const *file = cua_cdi_known; *file; file++)
        if (strcmp(event->name, cua_basename(*file)) == 0)
            return true;
    return false;
}

/* Waits until a specification may have changed. Returns 0 then; 1 if no event has come for PERIOD
 * milliseconds; or -errno. */
static int wait_for_change(int notifier)
{
    struct pollfd ready = {.fd = notifier, .events = POLLIN};
    _Alignas(struct inotify_event) char events[4096];
    bool ours = false;

    while (!ours) {
        int count = poll(&ready, 1, PERIOD);
        if (count < 0 && errno != EINTR)
            return -errno;
        if (count == 0)
            return 1;
        ssize_t size = read(notifier, events, sizeof(events));
        if (size < 0 && errno != EAGAIN && errno != EINTR)
            return -errno;
        for (ssize_t at = 0; at < size;) {
            const struct inotify_event *event = (const void *)(events + at);
            ours |= is_ours(event);
            at += (ssize_t)(sizeof(*event) + event->len);
        }
    }
    return 0;
}

/* Adds the hook to each file of cua_cdi_known that exists. refused[i]: adding it to file i has
 * failed since the last event, and the failure was printed. Such a file is skipped, so that the
 * failure is not printed again. */
static void merge_known(const char *hook, bool *refused)
{
    for (int i = 0; cua_cdi_known[i]; i++)
        if (!refused[i] && !access(cua_cdi_known[i], F_OK))
            refused[i] = cua_cdi_merge(cua_cdi_known[i], hook, CUA_CDI_QUIET) != 0;
}

int cua_cdi_watch(const char *hook)
{
    bool refused[CUA_CDI_KNOWN] = {false};
    int notifier = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    int error = notifier < 0 ? -errno : 0;

    /* The output is a log: print each line at once. */
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (!error) {
        for (const char *const *file = cua_cdi_known; *file && !error; file++)
            error = add(notifier, *file);
        /* Add the hook after the watches are set, so that no change is missed that another program
         * makes meanwhile. */
        if (!error) {
            merge_known(hook, refused);
            error = wait_for_change(notifier);
        }
        if (!error)
            memset(refused, 0, sizeof(refused));
        else if (error > 0)
            error = 0;
    }
    if (notifier >= 0)
        close(notifier);
    cua_complain("cdi", "--watch: %s",
                 error == -ENOSPC   ? "too many folders are watched: raise the limit "
                                      "fs.inotify.max_user_watches (sysctl)"
                 : error == -EMFILE ? "too many programs watch folders: raise the limit "
                                      "fs.inotify.max_user_instances (sysctl)"
                                    : strerror(-error));
    return 1;
}
