/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/cachedir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cuarbiter/stderr.h"
#include "base/listing.h"
#include "base/oldstat.h"
#include "machine/subject.h"

static int open_folder(const char *path, bool make)
{
    struct stat st;

    if (make && mkdir(path, 0700) != 0 && errno != EEXIST)
        return -errno;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    /* The setgid bit is accepted: a new folder inherits it from the one above, and it gives nobody
     * access. */
    if (cua_fstat(fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 05777) == 0700)
        return fd;
    close(fd);
    return -EPERM;
}

int cua_cachedir_open(const char *runtime, bool make)
{
    static const char *const parents[] = {"/run", "/tmp", "/dev/shm"};
    char path[PATH_MAX];
    int fd = -ENOENT;

    if (runtime && runtime[0] == '/' &&
        snprintf(path, sizeof(path), "%s/cuarbiter", runtime) < (int)sizeof(path))
        fd = open_folder(path, make);
    for (size_t i = 0; fd < 0 && i < sizeof(parents) / sizeof(*parents); i++) {
        snprintf(path, sizeof(path), "%s/cuarbiter-%u", parents[i], (unsigned)geteuid());
        fd = open_folder(path, make);
    }
    return fd;
}

struct tidy {
    int folder;
    long long before; /* files last written before this time, in seconds, are deleted; 0: none */
    unsigned count;
};

static int tidy_entry(void *data, const char *name, unsigned char type)
{
    struct tidy *tidy = data;
    struct stat st;

    (void)type;
    if (name[0] == '.')
        return 0;
    tidy->count++;
    if (!tidy->before)
        return 0;
    int fd = openat(tidy->folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return 0;
    if (cua_fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_mtim.tv_sec < tidy->before &&
        flock(fd, LOCK_EX | LOCK_NB) == 0 && unlinkat(tidy->folder, name, 0) == 0)
        tidy->count--;
    close(fd);
    return 0;
}

void cua_cachedir_tidy(int folder)
{
    /* Ages in seconds. The first pass over the folder only counts. While there are too many
     * entries, each later pass deletes those older than a day, an hour, a minute, and at last
     * all. */
    static const long long ages[] = {0, 24 * 3600, 3600, 60, -1};
    struct tidy tidy = {.folder = folder, .count = CUA_CACHEDIR_MOST + 1};
    struct timespec now = {0};

    clock_gettime(CLOCK_REALTIME, &now);
    for (size_t i = 0; tidy.count > CUA_CACHEDIR_MOST && i < sizeof(ages) / sizeof(*ages); i++) {
        int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0)
            return;
        tidy.before = i ? now.tv_sec - ages[i] : 0;
        tidy.count = 0;
        cua_list(fd, tidy_entry, &tidy);
    }
}

void cua_cachedir_epoch(char *buf, size_t size)
{
    char boot[64], stat[512];

    cua_subject_read(&cua_here, "/proc/sys/kernel/random/boot_id", boot, sizeof(boot));
    boot[strcspn(boot, "\n")] = '\0';
    cua_subject_read(&cua_here, "/proc/1/stat", stat, sizeof(stat));
    /* Field 22 is starttime. Field 2 is the process's name in parentheses, which may itself contain
     * blanks and parentheses, so count from the last ')'. */
    const char *p = strrchr(stat, ')');
    for (int field = 2; p && field < 22; field++)
        p = strchr(p + 1, ' ');
    buf[0] = '\0';
    if (boot[0])
        snprintf(buf, size, "%.36s-%llu", boot, p ? strtoull(p, NULL, 10) : 0);
}

long cua_call_kernel(long number, long a, long b, long c, long d)
{
    return syscall(number, a, b, c, d);
}

int cua_cachedir_put(int folder, const char *name, const void *bytes, size_t size)
{
    char temporary[NAME_MAX + 1];
    int error = 0;

    if (snprintf(temporary, sizeof temporary, "%s.%ld", name, (long)syscall(SYS_gettid)) >=
        (int)sizeof temporary)
        return -ENAMETOOLONG;
    int fd = openat(folder, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    errno = ENOSPC;
    if (!cua_safe_write(fd, bytes, size, cua_call_kernel))
        error = -errno;
    if (close(fd) != 0 && !error)
        error = -errno;
    if (!error && renameat(folder, temporary, folder, name) != 0)
        error = -errno;
    if (error)
        unlinkat(folder, temporary, 0);
    return error;
}
