/* SPDX-License-Identifier: Apache-2.0 */
/* slow FOLDER MOUNT DELAY [NAME]: shows a folder, read-only, as a shared file system would that
 * answers each look-up of a name after so many microseconds and of which nothing is cached: each is
 * the first process of its node. A look-up of a path that ends with NAME is never answered. Prints
 * how many look-ups there were when it is unmounted. */
#define FUSE_USE_VERSION 31
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse3/fuse.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int folder;
static useconds_t delay;
static const char *silent;
static _Atomic long lookups;

static const char *inside(const char *path)
{
    return path[1] ? path + 1 : ".";
}

static void *start(struct fuse_conn_info *connection, struct fuse_config *config)
{
    (void)connection;
    config->entry_timeout = config->negative_timeout = 0;
    config->attr_timeout = 60; /* a stat of what was just looked up asks no more */
    config->kernel_cache = 1;
    return NULL;
}

static int slow_getattr(const char *path, struct stat *st, struct fuse_file_info *file)
{
    if (!file) {
        lookups++;
        usleep(delay);
        size_t length = strlen(path), end = silent ? strlen(silent) : 0;
        while (end && length >= end && strcmp(path + length - end, silent) == 0)
            pause();
    }
    return fstatat(folder, inside(path), st, AT_SYMLINK_NOFOLLOW) ? -errno : 0;
}

static int slow_readlink(const char *path, char *out, size_t size)
{
    ssize_t length = readlinkat(folder, inside(path), out, size - 1);

    if (length < 0)
        return -errno;
    out[length] = 0;
    return 0;
}

static int slow_open(const char *path, struct fuse_file_info *file)
{
    int fd = openat(folder, inside(path), O_RDONLY | O_CLOEXEC);

    file->fh = (uint64_t)fd;
    return fd < 0 ? -errno : 0;
}

static int slow_read(const char *path, char *out, size_t size, off_t at,
                     struct fuse_file_info *file)
{
    ssize_t length = pread((int)file->fh, out, size, at);

    (void)path;
    return length < 0 ? -errno : (int)length;
}

static int slow_release(const char *path, struct fuse_file_info *file)
{
    (void)path;
    close((int)file->fh);
    return 0;
}

static int slow_readdir(const char *path, void *out, fuse_fill_dir_t fill, off_t at,
                        struct fuse_file_info *file, enum fuse_readdir_flags flags)
{
    int fd = openat(folder, inside(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;

    (void)at, (void)file, (void)flags;
    if (!dir)
        return -errno;
    while ((entry = readdir(dir)))
        fill(out, entry->d_name, NULL, 0, 0);
    closedir(dir);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct fuse_operations operations = {
        .init = start,
        .getattr = slow_getattr,
        .readlink = slow_readlink,
        .open = slow_open,
        .read = slow_read,
        .release = slow_release,
        .readdir = slow_readdir,
    };
    char foreground[] = "-f",
         *arguments[] = {argv[0], foreground, argc >= 4 ? argv[2] : NULL, NULL};
    int status;

    if (argc < 4 || argc > 5 || (folder = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
        return 2;
    silent = argv[4]; /* or NULL */
    delay = (useconds_t)atoi(argv[3]);
    status = fuse_main(3, arguments, &operations, NULL);
    printf("%ld\n", lookups);
    return status;
}
