/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A preload that counts the allocations which the helper asks for, also through libc and ld.so, and
 * lets the one NO_MEMORY=N fail, or all from there on, NO_MEMORY=N+. NO_MEMORY=FILE: none fails,
 * and the file grows by a byte for each. One thread. With WRAP, linked into the answerer, those
 * that it asks for, also through libc; what NO_MEMORY would say is in the file no-memory beside it,
 * since it has no environment.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#ifdef WRAP
#define REAL(function) __real_##function
#define OWN(function)  __wrap_##function
#else
#define REAL(function) __libc_##function
#define OWN(function)  function
#endif

void *REAL(malloc)(size_t size);
void *REAL(calloc)(size_t count, size_t size);
void *REAL(realloc)(void *old, size_t size);
void *OWN(malloc)(size_t size);
void *OWN(calloc)(size_t count, size_t size);
void *OWN(realloc)(void *old, size_t size);
#ifndef WRAP
void *__libc_memalign(size_t alignment, size_t size);
#endif

static int count, wanted = -1;
static bool lasting, inside;
static char setting[512];

#ifdef WRAP
static void read_setting(void)
{
    char path[512];
    ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 16);
    int fd;

    if (n < 0)
        abort();
    path[n] = '\0';
    strcpy(strrchr(path, '/') + 1, "no-memory");
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && read(fd, setting, sizeof(setting) - 1) < 0)
        abort();
    close(fd);
    wanted = atoi(setting);
    lasting = strchr(setting, '+') != NULL;
}
#else
/* Before libc knows the environment, too. */
static void read_setting(void)
{
    static const char name[] = "NO_MEMORY=";
    static char bytes[64 << 10];
    int fd = open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
    ssize_t size = 0, n = 1;

    while (fd >= 0 && n > 0 && size + 1 < (ssize_t)sizeof(bytes)) {
        n = read(fd, bytes + size, sizeof(bytes) - 1 - (size_t)size);
        size += n > 0 ? n : 0;
    }
    close(fd);
    for (char *at = bytes; at < bytes + size; at += strlen(at) + 1)
        if (!strncmp(at, name, strlen(name)))
            snprintf(setting, sizeof(setting), "%s", at + strlen(name));
    wanted = atoi(setting);
    lasting = strchr(setting, '+') != NULL;
}
#endif

static void count_it(void)
{
    int fd = open(setting, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);

    if (fd < 0 || write(fd, "", 1) != 1)
        abort();
    close(fd);
}

#ifdef WRAP
static bool is_ours(void)
{
    return true;
}
#else
/* The first object on the stack that is none of libc's, and not this one. */
static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *data)
{
    Dl_info info;
    const char *file;

    if (!dladdr((void *)(_Unwind_GetIP(context) - 1), &info))
        return _URC_END_OF_STACK;
    file = strrchr(info.dli_fname, '/');
    file = file ? file + 1 : info.dli_fname;
    if (!strncmp(file, "libc.", 5) || !strncmp(file, "libc-", 5) || !strncmp(file, "ld-", 3) ||
        !strncmp(file, "libdl", 5) || strstr(file, "no-memory"))
        return _URC_NO_REASON;
    *(bool *)data = !strncmp(file, "libcuarbiter", 12) || !strcmp(file, "cuarbiter");
    return _URC_END_OF_STACK;
}

static bool is_ours(void)
{
    bool ours = false;

    _Unwind_Backtrace(visit, &ours);
    return ours;
}
#endif

static bool is_refused(void)
{
    bool ours;

    if (inside)
        return false;
    inside = true;
    if (wanted < 0)
        read_setting();
    ours = is_ours();
    inside = false;
    if (!ours)
        return false;
    count++;
    if (*setting == '/')
        count_it();
    if (!wanted || (lasting ? count < wanted : count != wanted))
        return false;
    errno = ENOMEM;
    return true;
}

void *OWN(malloc)(size_t size)
{
    return is_refused() ? NULL : REAL(malloc)(size);
}

void *OWN(calloc)(size_t number, size_t size)
{
    return is_refused() ? NULL : REAL(calloc)(number, size);
}

void *OWN(realloc)(void *old, size_t size)
{
    return is_refused() ? NULL : REAL(realloc)(old, size);
}

#ifndef WRAP
void *aligned_alloc(size_t alignment, size_t size)
{
    return is_refused() ? NULL : __libc_memalign(alignment, size);
}
#endif
