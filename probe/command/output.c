/* SPDX-License-Identifier: Apache-2.0 */
/* --output FILE, written beside it and renamed. */
#include "command/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "command/verb.h"
#include "cuarbiter/names.h"

static char target[PATH_MAX], fresh[PATH_MAX + 24];

/* A link is followed: what it leads to is replaced, not the link. */
static int open_fresh(const char *file)
{
    struct stat st;

    if (!realpath(file, target))
        snprintf(target, sizeof(target), "%s", file);
    else if (cua_stat(target, &st) == 0 && !S_ISREG(st.st_mode))
        return open(target, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    snprintf(fresh, sizeof(fresh), "%s.new.%ld", target, (long)getpid());
    return open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

/* A file that is to be made is missed by nobody: ENOENT is its folder's. */
static void complain(const char *file, int error)
{
    char folder[PATH_MAX];

    snprintf(folder, sizeof(folder), "%s", file);
    char *slash = strrchr(folder, '/');
    if (error == ENOENT && slash > folder) {
        *slash = '\0';
        cua_complain(folder, "%s; make that folder first", strerror(error));
    } else {
        cua_complain(file, "%s", strerror(error));
    }
}

int cua_output_to(const char *file)
{
    int fd = open_fresh(file);

    if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0) {
        complain(file, errno);
        if (fd < 0)
            fresh[0] = '\0';
        cua_output_drop();
        return CUA_EXIT_USAGE;
    }
    close(fd);
    return 0;
}

void cua_output_drop(void)
{
    if (fresh[0])
        unlink(fresh);
    fresh[0] = '\0';
}

int cua_output_keep(int code)
{
    struct stat st;

    if (!fresh[0])
        return code;
    if (code == CUA_EXIT_USAGE || cua_stat(fresh, &st) != 0 || st.st_size == 0) {
        cua_output_drop();
        return code;
    }
    if (fsync(STDOUT_FILENO) == 0 && rename(fresh, target) == 0)
        return code;
    cua_complain(target, "%s", strerror(errno));
    cua_output_drop();
    return CUA_EXIT_OUTPUT;
}
