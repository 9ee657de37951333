/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/trust.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

/* What an owner outside the user namespace looks like: proc(5), /proc/sys/kernel/overflowuid. */
#define OVERFLOW_UID 65534

/*
 * In a rootless container the host's root is such an owner: nobody in here can be that user, and
 * whoever made the container can do more anyway. Where the number is somebody's in here (a map of
 * 65536 users), the owner is known only to be outside if a mount says so.
 */
static bool is_outsider(uid_t owner, bool mounted)
{
    char map[1024], *line = map;

    if (owner != OVERFLOW_UID)
        return false;
    if (mounted)
        return true;
    if (cua_subject_read(&cua_here, "/proc/self/uid_map", map, sizeof map) <= 0)
        return false;
    while (*line) {
        char *rest;
        unsigned long inside = strtoul(line, &rest, 10), count;
        strtoul(rest, &rest, 10);
        count = strtoul(rest, &rest, 10);
        if (inside <= OVERFLOW_UID && OVERFLOW_UID - inside < count)
            return false;
        line = rest + strcspn(rest, "\n");
        line += *line == '\n';
    }
    return true;
}

static bool is_safe(const struct stat *st, bool mounted)
{
    return !(st->st_mode & (S_IWGRP | S_IWOTH)) &&
           (st->st_uid == 0 || st->st_uid == geteuid() || is_outsider(st->st_uid, mounted));
}

/* How much of two folders' paths is the same, in whole components. */
static size_t common_part(const char *a, const char *b)
{
    size_t i = 0, part = 0;

    for (; a[i] && a[i] == b[i]; i++) {
        if (a[i] == '/')
            part = i;
    }
    return (!a[i] || a[i] == '/') && (!b[i] || b[i] == '/') ? i : part;
}

/* `folder` and all above it, down from the root of the subject; the first `known` bytes name
 * folders that were found safe already. */
static bool check_folders(const struct cua_subject *subject, const char *folder, size_t known,
                          size_t *bad)
{
    char path[PATH_MAX];
    struct stat st;
    const char *sysroot = subject->sysroot ? subject->sysroot : "";
    size_t root = cua_below(folder, sysroot) ? strlen(sysroot) : 0, length = strlen(folder);

    for (size_t end = root; end <= length; end++) {
        if ((end != root && end != length && folder[end] != '/') || (known && end <= known))
            continue;
        cua_copy_n(path, sizeof path, folder, end);
        if (cua_real_lstat(subject, end ? path : "/", &st) == 0 && is_safe(&st, false))
            continue;
        *bad = end;
        return false;
    }
    return true;
}

bool cua_trusted(struct cua_trust *trust, const struct cua_subject *subject, const char *real,
                 const struct stat *st, bool mounted, char *distrust)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(real, '/');

    distrust[0] = 0;
    if (!slash || !cua_copy_n(folder, sizeof folder, real, (size_t)(slash - real)))
        return false;
    if (strcmp(folder, trust->folder) != 0 || !trust->folder[0]) {
        size_t known = trust->trusted ? common_part(trust->folder, folder) : 0;
        cua_copy(trust->folder, sizeof trust->folder, folder);
        trust->trusted = check_folders(subject, folder, known, &trust->bad);
    }
    if (!trust->trusted) {
        folder[trust->bad] = '\0';
        cua_copy(distrust, PATH_MAX, cua_subject_inside(subject, folder[0] ? folder : "/"));
        return false;
    }
    if (!is_safe(st, mounted)) {
        cua_copy(distrust, PATH_MAX, cua_subject_inside(subject, real));
        return false;
    }
    return true;
}
