/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a new file beside the old one and exchanges the two (renameat2 with RENAME_EXCHANGE), then
 * checks the old one. If another program has changed or replaced the old file since it was read,
 * exchanges the two again, so that the other program's text is back in its place. A plain rename
 * would destroy that text; it is used only if files cannot be exchanged. */
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

/* Whether a process has the file open for writing. In that case the kernel refuses a read lease
 * with EAGAIN. False also if the file cannot be opened, or cannot have a lease. SIGIO is ignored
 * during the lease: the kernel sends SIGIO if a process opens the file for writing then, and by
 * default SIGIO ends the process that receives it. */
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

/* Called if the file that the first exchange moved to `fresh` was changed or replaced by another
 * program. Moves that file back to `path` by a second exchange. The second exchange should move
 * `put`, the file that this process has placed at `path`, to `fresh`. If it moves another file, a
 * program has replaced `path` in between. Then the loop moves that program's file back in the same
 * way. Returns -EAGAIN once `path` has the newest file of other programs, or another -errno. */
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

/* Renames the file at file->name, which belongs to another program and could not be put back, to
 * PATH.cuarbiter-kept. The functions that delete cuarbiter's temporary files, cua_fresh_drop and
 * cua_fresh_sweep, do not delete a file of this name. */
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
    /* True: another program's file is at file.name and could not be put back. It is kept. */
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
        if (error == -EINVAL || error == -ENOSYS) /* exchange is not supported here */
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
