/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/cachedir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "machine/subject.h"

static int open_folder(const char *path)
{
    struct stat st;

    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return -errno;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    /* In a folder with the setgid bit a new one has it too; it opens nothing. */
    if (cua_fstat(fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 05777) == 0700)
        return fd;
    close(fd);
    return -EPERM;
}

int cua_cachedir_open(const char *runtime)
{
    static const char *const parents[] = {"/run", "/tmp", "/dev/shm"};
    char path[PATH_MAX];
    int fd = -ENOENT;

    if (runtime && runtime[0] == '/' &&
        snprintf(path, sizeof(path), "%s/cuarbiter", runtime) < (int)sizeof(path))
        fd = open_folder(path);
    for (size_t i = 0; fd < 0 && i < sizeof(parents) / sizeof(*parents); i++) {
        snprintf(path, sizeof(path), "%s/cuarbiter-%u", parents[i], (unsigned)geteuid());
        fd = open_folder(path);
    }
    return fd;
}

void cua_cachedir_epoch(char *buf, size_t size)
{
    char boot[64], stat[512];
    unsigned long long start = 0;

    cua_subject_read(&cua_here, "/proc/sys/kernel/random/boot_id", boot, sizeof(boot));
    boot[strcspn(boot, "\n")] = '\0';
    cua_subject_read(&cua_here, "/proc/1/stat", stat, sizeof(stat));
    /* The second field is the name in parentheses and may hold anything; starttime is the 22nd. */
    const char *p = strrchr(stat, ')');
    for (int field = 2; p && field < 22; field++) {
        p = strchr(p, ' ');
        if (p)
            p++;
    }
    if (p)
        start = strtoull(p, NULL, 10);
    if (boot[0])
        snprintf(buf, size, "%.36s-%llu", boot, start);
    else
        buf[0] = '\0';
}
