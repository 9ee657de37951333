/* SPDX-License-Identifier: Apache-2.0 */
/* Exchanges the new file and the old one (RENAME_EXCHANGE), then checks the file that was replaced.
 * If another program has changed it since it was read, that program's text is put back. A plain
 * rename would destroy that text. */
#include "deploy/cdi/swap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "base/whole.h"
#include "cli/replace_file.h"

#define MOST     ((size_t)4 << 20)
#define EXCHANGE 2u /* the value of RENAME_EXCHANGE */

char *cua_swap_read(const char *path, struct stat *st)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0)
        return NULL;
    if (cua_fstat(fd, st) != 0 || !S_ISREG(st->st_mode)) {
        close(fd);
        errno = EINVAL;
        return NULL;
    }
    return cua_whole_text(fd, MOST);
}

static bool holds(const char *path, const char *text, const struct stat *was)
{
    struct stat st;
    char *now = cua_swap_read(path, &st);
    bool same = now && st.st_dev == was->st_dev && st.st_ino == was->st_ino && !strcmp(now, text);

    free(now);
    return same;
}

/* Whether some process has the file open for writing: then the kernel refuses a read lease. False
 * on a file system without leases. SIGIO is ignored meanwhile, because it would end this process:
 * the kernel sends it when a process opens the file for writing during the lease. */
static bool is_written(const char *path)
{
    void (*before)(int) = signal(SIGIO, SIG_IGN);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool written = fd >= 0 && fcntl(fd, F_SETLEASE, F_RDLCK) && errno == EAGAIN;

    if (fd >= 0)
        close(fd);
    signal(SIGIO, before);
    return written;
}

static int exchange(const char *one, const char *two)
{
    return syscall(SYS_renameat2, AT_FDCWD, one, AT_FDCWD, two, EXCHANGE) ? -errno : 0;
}

/* Exchanges `fresh` and `path` again, because the file that was replaced, now at `fresh`, was not
 * the old one but another program's. Then `fresh` should be this process's file (`put`). If it is
 * not, a program has written yet another file meanwhile, which is put back in the same way.
 * -EAGAIN: `path` has the newest file of other programs. */
static int put_back(const char *fresh, const char *path, struct stat put)
{
    struct stat next, out;
    int error;

    for (;; put = next) {
        error = cua_stat(fresh, &next) ? -errno : exchange(fresh, path);
        if (!error && cua_stat(fresh, &out))
            error = -errno;
        if (error)
            return error;
        if (out.st_dev == put.st_dev && out.st_ino == put.st_ino)
            return -EAGAIN;
    }
}

static int fill(int fd, const char *made, const struct stat *was)
{
    for (size_t size = strlen(made), done = 0; done < size;) {
        ssize_t n = write(fd, made + done, size - done);
        if (n < 0)
            return -errno;
        done += (size_t)n;
    }
    return fchown(fd, was->st_uid, was->st_gid) || fchmod(fd, was->st_mode & 07777) || fsync(fd)
               ? -errno
               : 0;
}

/* Renames the file, so that cua_fresh_sweep does not delete it. */
static void keep(const struct cua_fresh_file *file)
{
    char name[PATH_MAX + 32];

    snprintf(name, sizeof(name), "%s.cuarbiter-kept", file->path);
    rename(file->name, name);
}

int cua_swap(const char *path, const char *text, const struct stat *was, const char *made)
{
    struct cua_fresh_file file;
    struct stat ours;
    /* True: another program's file could not be put back. Keep it beside `path`. */
    bool stays = false;
    int error = cua_fresh_open(&file, path, 0600, false);

    if (error)
        return error;
    error = fill(file.fd, made, was);
    if (!error && cua_fstat(file.fd, &ours))
        error = -errno;
    if (!error && (!holds(path, text, was) || is_written(path)))
        error = -EAGAIN;
    if (!error) {
        error = exchange(file.name, path);
        if (error == -EINVAL || error == -ENOSYS) /* this file system cannot exchange files */
            error = cua_fresh_keep(&file);
        else if (!error && (!holds(file.name, text, was) || is_written(file.name)))
            stays = (error = put_back(file.name, path, ours)) != -EAGAIN;
    }
    if (stays)
        keep(&file);
    else
        cua_fresh_drop(&file);
    close(file.fd);
    return error;
}
