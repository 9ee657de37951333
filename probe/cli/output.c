/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the new content of --output FILE to a file beside it, then renames that file to FILE. A
 * FILE that is a device or a pipe is written to directly. */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "cli/replace_file.h"
#include "cli/verb.h"
#include "cuarbiter/names.h"

static char target[PATH_MAX];
static const char *named = "standard output";
static struct cua_fresh_file fresh;

/* Opens what will be written to: FILE itself if it is a device or a pipe, else a new file beside
 * it. If FILE is a symbolic link, the link stays, and the file that it leads to will be replaced;
 * but a link that leads nowhere is replaced itself. Returns a descriptor, or -1 with errno set. */
static int open_fresh(const char *file)
{
    struct stat st;

    if (!realpath(file, target))
        snprintf(target, sizeof(target), "%s", file);
    else if (cua_stat(target, &st) == 0 && !S_ISREG(st.st_mode))
        return open(target, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    cua_fresh_open(&fresh, target, 0666, false);
    return fresh.fd;
}

/* Prints why FILE could not be opened. The new file is opened with O_CREAT, so ENOENT usually means
 * that the folder is missing. If it is missing, the message names the folder instead of FILE. */
static void complain(const char *file, int error)
{
    char folder[PATH_MAX];

    snprintf(folder, sizeof(folder), "%s", file);
    char *slash = strrchr(folder, '/');
    if (error == ENOENT && slash > folder) {
        *slash = '\0';
        if (access(folder, F_OK) == 0) {
            cua_complain(file, "%s", strerror(error));
            return;
        }
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
        cua_fresh_drop(&fresh);
        return CUA_EXIT_USAGE;
    }
    close(fd);
    fresh.fd = STDOUT_FILENO;
    named = file;
    return 0;
}

const char *cua_output_name(void)
{
    return named;
}

void cua_output_drop(void)
{
    cua_fresh_drop(&fresh);
}

int cua_output_keep(int code)
{
    struct stat st;

    if (!fresh.name[0])
        return code;
    if (code == CUA_EXIT_USAGE || cua_stat(fresh.name, &st) != 0 || st.st_size == 0) {
        cua_fresh_drop(&fresh);
        return code;
    }
    int error = cua_fresh_keep(&fresh);
    if (!error)
        return code;
    cua_complain(target, "%s", strerror(-error));
    return CUA_EXIT_OUTPUT;
}
