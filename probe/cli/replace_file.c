/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/replace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int cua_fresh_open(struct cua_fresh_file *file, const char *path, mode_t mode, bool locked)
{
    int length = locked ? snprintf(file->name, sizeof(file->name), "%s" CUA_FRESH_SUFFIX, path)
                        : snprintf(file->name, sizeof(file->name), "%s" CUA_FRESH_SUFFIX ".%ld",
                                   path, (long)getpid());

    file->path = path;
    file->fd = -1;
    if (length < 0 || (size_t)length >= sizeof(file->name)) {
        errno = ENAMETOOLONG;
    } else {
        if (locked)
            unlink(file->name);
        file->fd = open(file->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    }
    if (file->fd >= 0)
        return 0;
    file->name[0] = '\0';
    return -errno;
}

int cua_fresh_keep(struct cua_fresh_file *file)
{
    int error = fsync(file->fd) || rename(file->name, file->path) ? -errno : 0;

    if (error)
        cua_fresh_drop(file);
    file->name[0] = '\0';
    return error;
}

void cua_fresh_drop(struct cua_fresh_file *file)
{
    if (file->name[0])
        unlink(file->name);
    file->name[0] = '\0';
}

int cua_replace_file(const char *path, const void *bytes, size_t size, mode_t mode,
                     const struct stat *like, bool locked)
{
    struct cua_fresh_file file;
    int error = cua_fresh_open(&file, path, 0600, locked);

    if (error)
        return error;
    for (size_t done = 0; done < size && !error;) {
        ssize_t n = write(file.fd, (const char *)bytes + done, size - done);
        if (n < 0)
            error = -errno;
        else
            done += (size_t)n;
    }
    /* fchmod, because the umask of an administrator's shell must not lock other users out. */
    if (!error && ((like && fchown(file.fd, like->st_uid, like->st_gid)) || fchmod(file.fd, mode)))
        error = -errno;
    if (error)
        cua_fresh_drop(&file);
    else
        error = cua_fresh_keep(&file);
    close(file.fd);
    return error;
}
