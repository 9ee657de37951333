/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/hook/guard.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "base/text.h"
#include "cli/verb.h"

/* Whether users other than root and this process's user can change the file or, if it is a folder,
 * replace a file in it. Members of root's group and of this process's group count as trusted. A
 * folder with the sticky bit may be writable for all: others can add files to it, but cannot
 * replace those of root and this user. */
static bool is_open(const struct stat *st)
{
    bool sticky = S_ISDIR(st->st_mode) && st->st_mode & S_ISVTX;

    return (st->st_uid != 0 && st->st_uid != geteuid()) || (st->st_mode & S_IWOTH && !sticky) ||
           (st->st_mode & S_IWGRP && st->st_gid != 0 && st->st_gid != getegid() && !sticky);
}

static bool is_guarded(const char *path)
{
    char part[PATH_MAX];
    struct stat st;

    for (const char *end = path; end; end = *end ? strchrnul(end + 1, '/') : NULL) {
        if (end == path)
            cua_copy_n(part, sizeof(part), "/", 1);
        else
            cua_copy_n(part, sizeof(part), path, (size_t)(end - path));
        if (cua_stat(part, &st)) {
            cua_complain("hook", "%s: %s", part, strerror(errno));
            return false;
        }
        if (is_open(&st)) {
            cua_complain("hook",
                         "users other than root can change %s, and so %s, which the hook runs or "
                         "gives to containers; keep cuarbiter's files where only root can write",
                         part, path);
            return false;
        }
    }
    return true;
}

/* Checks every part of `path` as it is written, and every part of its real path. Whoever can change
 * a folder of one of the two paths can replace the file. */
bool cua_guarded(const char *path)
{
    char real[PATH_MAX];

    return is_guarded(path) && (!realpath(path, real) || is_guarded(real));
}
