/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/collect/sender.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/whole.h"

#define MOST  ((size_t)64 << 10)
#define TICK  10 /* milliseconds in a clock tick, the unit of starttime in /proc/PID/stat */
#define FIELD 20 /* blanks between the program's name and starttime in /proc/PID/stat */

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

void cua_sender_cgroup(const char *text, char *id)
{
    size_t run = 0;

    id[0] = '\0';
    for (; *text; text++) {
        run = is_hex(*text) ? run + 1 : 0;
        if (run == CUA_SENDER_ID && !is_hex(text[1])) {
            memcpy(id, text + 1 - run, run);
            id[run] = '\0';
            return;
        }
    }
}

static char *read_at(int folder, const char *name)
{
    return cua_whole(openat(folder, name, O_RDONLY | O_CLOEXEC), MOST, NULL);
}

static long long milliseconds(clockid_t clock)
{
    struct timespec now = {0};

    clock_gettime(clock, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* Whether the process, whose /proc/PID/stat is `stat`, started before the datagram was sent. If
 * not, the sender has ended, and another process, perhaps of another container, has its number. The
 * times are exact to a clock tick, so the result is wrong if the kernel used all process numbers
 * once within a tick. */
static bool is_sender(const char *stat, const struct timeval *sent)
{
    const char *at = strrchr(stat, ')');
    long long age = milliseconds(CLOCK_REALTIME) - (sent->tv_sec * 1000LL + sent->tv_usec / 1000);

    for (int i = 0; at && i < FIELD; i++)
        at = strchr(at + 1, ' ');
    return at && strtoll(at + 1, NULL, 10) * TICK <= milliseconds(CLOCK_BOOTTIME) - age + TICK;
}

void cua_sender_container(long pid, const struct timeval *sent, char *id)
{
    char path[32];

    id[0] = '\0';
    snprintf(path, sizeof(path), "/proc/%ld", pid);
    /* Read the files through a descriptor of /proc/PID, which stays bound to this process if
     * another one gets its number. */
    int folder = pid > 0 ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    char *cgroup = folder < 0 ? NULL : read_at(folder, "cgroup");
    char *stat = cgroup ? read_at(folder, "stat") : NULL;

    if (stat && is_sender(stat, sent))
        cua_sender_cgroup(cgroup, id);
    free(stat);
    free(cgroup);
    if (folder >= 0)
        close(folder);
}
