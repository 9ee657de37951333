/* SPDX-License-Identifier: Apache-2.0 */
/* Makes system calls without libc's functions, because these change errno, and because another
 * preload may have replaced them (libeatmydata replaces open) and may not be set up yet. Unless
 * their comment says otherwise, the functions here return the kernel's result, which is -errno on
 * failure. */
#ifndef CUA_SYSCALLS_H
#define CUA_SYSCALLS_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* Defined in the assembly of each architecture. */
long cua_syscall(long number, long a, long b, long c, long d, long e, long f);

/* Calls clone(2). The child runs run(arg), which must not return, on the stack that ends at
 * `stack`. glibc's clone is not used: before 2.25 (clone.S, RESET_PID) it overwrites the pid and
 * tid in the calling thread's TLS, and then that thread's mutexes have no owner. */
long cua_clone(unsigned long flags, void *stack, void (*run)(void *), void *arg);

/* Opens a file for reading. Never waits for a FIFO, and never acquires a controlling terminal. */
static inline int cua_sys_open(const char *path)
{
    int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

    return (int)cua_syscall(SYS_openat, AT_FDCWD, (long)path, flags, 0, 0, 0);
}

/* Closes a descriptor. Does nothing if `fd` is the result of a failed open. */
static inline void cua_sys_close(int fd)
{
    if (fd >= 0)
        cua_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
}

/* Reads at most `size` bytes from the beginning of a file. Returns their number, which is 0 if the
 * file cannot be opened; after a failed read, the number read before it. Adds no NUL. */
static inline size_t cua_sys_read_file(const char *path, char *buf, size_t size)
{
    int fd = cua_sys_open(path);
    size_t have = 0;
    long got;

    while (fd >= 0 && have < size) {
        got = cua_syscall(SYS_read, fd, (long)buf + (long)have, (long)(size - have), 0, 0, 0);
        if (got <= 0)
            break;
        have += (size_t)got;
    }
    cua_sys_close(fd);
    return have;
}

/* Passes libc's struct stat to the kernel: on 64-bit machines the kernel's is the same. */
static inline long cua_sys_stat(const char *path, struct stat *st)
{
    return cua_syscall(SYS_newfstatat, AT_FDCWD, (long)path, (long)st, 0, 0, 0);
}

static inline long cua_sys_fstat(int fd, struct stat *st)
{
    return cua_syscall(SYS_newfstatat, fd, (long)"", (long)st, AT_EMPTY_PATH, 0, 0);
}

/* Maps the first `size` bytes of a file; NULL on failure. `fd` -1: maps zeroed memory instead. */
static inline void *cua_sys_map_file(int fd, size_t size, int protection)
{
    int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_PRIVATE;
    long at = cua_syscall(SYS_mmap, 0, (long)size, protection, flags, fd, 0);

    return at < 0 && at > -4096 ? NULL : (void *)at;
}

/* Maps private zeroed memory; NULL if there is none. */
static inline void *cua_sys_map(size_t size)
{
    return cua_sys_map_file(-1, size, PROT_READ | PROT_WRITE);
}

static inline void cua_sys_unmap(const void *at, size_t size)
{
    if (at)
        cua_syscall(SYS_munmap, (long)at, (long)size, 0, 0, 0, 0);
}

/* Maps the whole file and closes `fd`, which may be the result of a failed open. Some sandboxes
 * allow only the system calls of ld.so. So this uses only fstat, mmap and close. (Its fstat is the
 * call newfstatat, which on x86-64 only some versions of ld.so make.) Returns NULL on failure or if
 * the file is empty; then `st` may not be set. */
static inline const void *cua_sys_map_whole(int fd, struct stat *st)
{
    const void *at = NULL;

    if (fd >= 0 && !cua_sys_fstat(fd, st) && st->st_size > 0)
        at = cua_sys_map_file(fd, (size_t)st->st_size, PROT_READ);
    cua_sys_close(fd);
    return at;
}

#endif
