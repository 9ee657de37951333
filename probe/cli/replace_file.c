/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/replace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/listing.h"
#include "base/oldstat.h"
#include "base/text.h"

#define ATTEMPTS 100
/* A new file that was not changed for this many seconds was left by a killed process. */
#define OLD 10

static bool make_name(struct cua_fresh_file *file, bool locked, int attempt)
{
    const size_t size = sizeof(file->name);
    int length = locked    ? snprintf(file->name, size, "%s" CUA_FRESH_SUFFIX, file->path)
                 : attempt ? snprintf(file->name, size, "%s" CUA_FRESH_SUFFIX ".%ld.%d", file->path,
                                      (long)getpid(), attempt)
                           : snprintf(file->name, size, "%s" CUA_FRESH_SUFFIX ".%ld", file->path,
                                      (long)getpid());

    return length >= 0 && (size_t)length < size;
}

int cua_fresh_open(struct cua_fresh_file *file, const char *path, mode_t mode, bool locked)
{
    int error = -EEXIST;

    file->path = path;
    file->fd = -1;
    for (int i = 0; error == -EEXIST && i < ATTEMPTS; i++) {
        if (!make_name(file, locked, i)) {
            error = -ENAMETOOLONG;
            break;
        }
        if (locked)
            unlink(file->name);
        file->fd = open(file->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        error = file->fd < 0 ? -errno : 0;
    }
    if (error) {
        file->name[0] = '\0';
        errno = -error;
    }
    return error;
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

static int sweep(void *data, const char *name, unsigned char type)
{
    const char *path = data, *base = cua_basename(path);
    const size_t length = strlen(base);
    char left[PATH_MAX];
    struct stat st;

    (void)type;
    if (strncmp(name, base, length) == 0 && cua_starts(name + length, CUA_FRESH_SUFFIX ".") &&
        cua_copy_n(left, sizeof(left), path, (size_t)(base - path)) &&
        cua_append(left, sizeof(left), name) && !cua_lstat(left, &st) && S_ISREG(st.st_mode) &&
        time(NULL) - st.st_ctime > OLD)
        unlink(left);
    return 0;
}

void cua_fresh_sweep(const char *path)
{
    char folder[PATH_MAX];

    if (cua_copy_n(folder, sizeof(folder), path, (size_t)(cua_basename(path) - path)) && folder[0])
        cua_list(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), sweep, (void *)(uintptr_t)path);
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
    /* fchmod sets the mode, because open would apply the umask. An administrator's umask must not
     * keep other users from reading the file. */
    if (!error && ((like && fchown(file.fd, like->st_uid, like->st_gid)) || fchmod(file.fd, mode)))
        error = -errno;
    if (error)
        cua_fresh_drop(&file);
    else
        error = cua_fresh_keep(&file);
    close(file.fd);
    return error;
}
