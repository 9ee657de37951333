/* SPDX-License-Identifier: Apache-2.0 */
/* System calls by the instruction itself. Calling libc's functions would enter whatever another
 * preload puts before them (libeatmydata has an open of its own), at a time when that library may
 * not be set up, and would touch errno. The result is the kernel's: -errno on failure. */
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

static inline long cua_syscall(long number, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;

    __asm__ volatile("svc #0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
#else
#error "cuarbiter's shim knows x86_64 and aarch64"
#endif
}

/* Never waits for a FIFO and never acquires a controlling terminal. */
static inline int cua_sys_open(const char *path)
{
    int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

    return (int)cua_syscall(SYS_openat, AT_FDCWD, (long)path, flags, 0, 0, 0);
}

/* Nothing where `fd` is what a failed open returned. */
static inline void cua_sys_close(int fd)
{
    if (fd >= 0)
        cua_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
}

/* Reads the first bytes of a file; returns their number, 0 if it cannot be read. */
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

/* struct stat is the kernel's own on 64-bit machines. */
static inline long cua_sys_stat(const char *path, struct stat *st)
{
    return cua_syscall(SYS_newfstatat, AT_FDCWD, (long)path, (long)st, 0, 0, 0);
}

static inline long cua_sys_fstat(int fd, struct stat *st)
{
    return cua_syscall(SYS_newfstatat, fd, (long)"", (long)st, AT_EMPTY_PATH, 0, 0);
}

/* NULL on failure. `fd` -1: zeroed memory instead of a file. */
static inline void *cua_sys_map_file(int fd, size_t size, int protection)
{
    int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_PRIVATE;
    long at = cua_syscall(SYS_mmap, 0, (long)size, protection, flags, fd, 0);

    return at < 0 && at > -4096 ? NULL : (void *)at;
}

/* Private zeroed memory; NULL if there is none. */
static inline void *cua_sys_map(size_t size)
{
    return cua_sys_map_file(-1, size, PROT_READ | PROT_WRITE);
}

static inline void cua_sys_unmap(const void *at, size_t size)
{
    if (at)
        cua_syscall(SYS_munmap, (long)at, (long)size, 0, 0, 0, 0);
}

/* Maps the whole file and closes it, by the calls that ld.so makes in each version: some sandboxes
 * allow no other. NULL on failure, and then `st` may not be set. */
static inline const void *cua_sys_map_whole(int fd, struct stat *st)
{
    const void *at = NULL;

    if (fd >= 0 && !cua_sys_fstat(fd, st) && st->st_size > 0)
        at = cua_sys_map_file(fd, (size_t)st->st_size, PROT_READ);
    cua_sys_close(fd);
    return at;
}

#endif
