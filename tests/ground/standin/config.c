/* SPDX-License-Identifier: Apache-2.0 */
#include "standin.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CUA_MAX_FD 65536

static unsigned char fd_kind[CUA_MAX_FD];

long cua_sys_open(int dirfd, const char *path, int flags, mode_t mode)
{
    return syscall(SYS_openat, dirfd, path, flags, mode);
}

/*
 * A constructor that runs before libc's own (-z initfirst) finds no environ yet, and asks for
 * files all the same: then the kernel's copy of the environment is read.
 */
static char *early_environment(size_t *size)
{
    static char buffer[256 * 1024];
    long fd = cua_sys_open(AT_FDCWD, "/proc/self/environ", O_RDONLY | O_CLOEXEC, 0);
    size_t used = 0;

    if (fd < 0)
        return NULL;
    while (used < sizeof buffer - 1) {
        long n = syscall(SYS_read, fd, buffer + used, sizeof buffer - 1 - used);
        if (n <= 0)
            break;
        used += (size_t)n;
    }
    syscall(SYS_close, fd);
    buffer[used] = 0;
    *size = used;
    return buffer;
}

const char *cua_env(const char *name)
{
    size_t size = 0, length = strlen(name);
    const char *at, *end;

    if (environ) {
        const char *value = getenv(name);
        return value && *value ? value : NULL;
    }
    at = early_environment(&size);
    for (end = at + size; at && at < end; at += strlen(at) + 1)
        if (!strncmp(at, name, length) && at[length] == '=')
            return at[length + 1] ? at + length + 1 : NULL;
    return NULL;
}

const char *cua_kmd(void)
{
    return cua_env("STANDIN_KMD");
}

void cua_log(const char *call, const char *what, long answer)
{
    const char *path = cua_env("STANDIN_LOG");
    char line[4400];
    long fd;
    int n;

    if (!path)
        return;
    fd = cua_sys_open(AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0)
        return;
    n = snprintf(line, sizeof line, "%s %s = %ld\n", call, what ? what : "-", answer);
    if (n > 0)
        syscall(SYS_write, fd, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
    syscall(SYS_close, fd);
}

void cua_remember(int fd, enum cua_kind kind)
{
    if (fd >= 0 && fd < CUA_MAX_FD)
        __atomic_store_n(&fd_kind[fd], (unsigned char)kind, __ATOMIC_RELAXED);
}

enum cua_kind cua_remembered(int fd)
{
    if (fd < 0 || fd >= CUA_MAX_FD)
        return CUA_NOT_OURS;
    return (enum cua_kind)__atomic_load_n(&fd_kind[fd], __ATOMIC_RELAXED);
}
