/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/trust.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/whole.h"

bool cua_roots_alone(const struct stat *st)
{
    return st->st_uid == 0 && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

/* The uid by which an owner outside the user namespace appears: proc(5),
 * /proc/sys/kernel/overflowuid. */
#define OVERFLOW_UID 65534
/* Number of uids mapped in the initial user namespace: user_namespaces(7). */
#define ALL_UIDS 4294967295ul

bool cua_is_outsider(uid_t owner, bool mounted)
{
    char map[1024], *line = map;
    ssize_t size;

    if (owner != OVERFLOW_UID ||
        (size = cua_subject_read(&cua_here, "/proc/self/uid_map", map, sizeof map)) <= 0)
        return false;
    while (*line) {
        char *rest;
        unsigned long inside = strtoul(line, &rest, 10), count;
        strtoul(rest, &rest, 10);
        count = strtoul(rest, &rest, 10);
        /* This namespace has the uid 65534 itself: the owner may be that user. In the initial user
         * namespace every uid belongs to a user, so nobody is outside. */
        if (inside <= OVERFLOW_UID && OVERFLOW_UID - inside < count)
            return mounted && count != ALL_UIDS;
        line = rest + strcspn(rest, "\n");
        line += *line == '\n';
    }
    /* If the map is longer, the rest may have the uid. */
    return size < (ssize_t)sizeof map - 1;
}

char *cua_root_text(const struct cua_subject *subject, const char *path, size_t most, bool mounted)
{
    struct stat st;
    int fd = cua_subject_open_stat(subject, path, &st);

    if (fd >= 0 && !cua_roots_alone(&st) &&
        (st.st_mode & (S_IWGRP | S_IWOTH) || !cua_is_outsider(st.st_uid, mounted))) {
        close(fd);
        fd = -EPERM;
    }
    return cua_whole_text(fd, most);
}

static bool is_safe(const struct stat *st, bool mounted)
{
    return !(st->st_mode & (S_IWGRP | S_IWOTH)) &&
           (st->st_uid == 0 || st->st_uid == geteuid() || cua_is_outsider(st->st_uid, mounted));
}

bool cua_trusted(struct cua_trust *trust, const struct cua_subject *subject, const char *real,
                 const struct stat *st, bool mounted, char *distrust)
{
    const char *sysroot = subject->sysroot ? subject->sysroot : "", *name;
    size_t end = cua_below(real, sysroot) ? strlen(sysroot) : 0, length = strlen(real);
    char path[PATH_MAX];
    struct stat above;

    distrust[0] = 0;
    if (real[0] != '/' || length >= sizeof path)
        return false;
    do {
        cua_copy_n(path, sizeof path, real, end);
        if (trust->folder[0] && cua_below(trust->folder, path))
            continue;
        name = end ? path : "/";
        above = *st;
        if ((!(trust->named && end == length) && cua_real_lstat(subject, name, &above) != 0) ||
            !is_safe(&above, end == length && mounted) ||
            (end == length && (above.st_dev != st->st_dev || above.st_ino != st->st_ino))) {
            cua_copy(distrust, PATH_MAX, cua_subject_inside(subject, name));
            return false;
        }
    } while (end < length && (end += 1 + strcspn(real + end + 1, "/")));
    cua_copy_n(trust->folder, sizeof trust->folder, real, (size_t)(strrchr(real, '/') - real));
    return true;
}
