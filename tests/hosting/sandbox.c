/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sandbox KIND [BEFORE...] -- AFTER...: opens the first, locks itself in, and opens the others;
 * ?NAME: only asks whether it is loaded (RTLD_NOLOAD). KIND: none; strict (read, write, exit);
 * kill, EPERM or ENOSYS: for every system call but those that a bare dlopen makes, which PRINT
 * prints; few: kill, also for pread64, which a bare dlopen of most files does not make.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALLS(X)                                                                                   \
    X(openat)                                                                                      \
    X(read) X(pread64) X(newfstatat) X(fstat) X(mmap) X(mprotect) X(munmap) X(close) X(brk) X(futex)
#define ENTRY(name) {#name, SYS_##name},

static const struct {
    const char *name;
    int number;
} calls[] = {CALLS(ENTRY)
             /* What the program itself needs to say what it found. */
             ENTRY(write) ENTRY(exit) ENTRY(exit_group)
             /* What a log line needs. */
             ENTRY(getpid) ENTRY(fcntl) ENTRY(ppoll) ENTRY(rt_sigprocmask) ENTRY(rt_sigpending)};
#define ALL     (sizeof(calls) / sizeof(*calls))
#define PROGRAM 3
#define LOG     5

static int lock_in(const char *kind)
{
    size_t count = strcmp(kind, "log") ? ALL - LOG : ALL, i;
    bool few = !strcmp(kind, "few");
    struct sock_filter code[ALL + 3];
    struct sock_fprog program = {(unsigned short)(count + 3), code};
    unsigned refusal = SECCOMP_RET_KILL_PROCESS;
    int number;

    if (!strcmp(kind, "none"))
        return 0;
    if (!strcmp(kind, "strict"))
        return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    if (strcmp(kind, "kill") && !few)
        refusal = SECCOMP_RET_ERRNO | (unsigned)(strcmp(kind, "ENOSYS") ? EPERM : ENOSYS);
    code[0] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (i = 0; i < count; i++) {
        number = few && calls[i].number == SYS_pread64 ? SYS_read : calls[i].number;
        code[i + 1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number,
                                                   (unsigned char)(count - i), 0);
    }
    code[count + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, refusal);
    code[count + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* One place in the program: what it has asked for before is known by that. */
static __attribute__((noinline)) void *opens(const char *name, int flags)
{
    void *volatile handle = dlopen(name, flags); /* no tail call */

    return handle;
}

static void request(const char *name)
{
    void *handle =
        opens(*name == '?' ? name + 1 : name, RTLD_NOW | (*name == '?' ? RTLD_NOLOAD : 0));
    const char *file = strrchr(name, '/');
    char line[512];
    int length = snprintf(line, sizeof(line), "%s %s, ", file ? file + 1 : name,
                          handle ? "opened" : "not opened");

    if (write(STDOUT_FILENO, line, (size_t)length) != length)
        syscall(SYS_exit, 98);
}

int main(int argc, char **argv)
{
    int i;

    if (argc > 1 && !strcmp(argv[1], "PRINT")) {
        for (i = 0; i < (int)(ALL - LOG - PROGRAM); i++)
            puts(calls[i].name);
        return 0;
    }
    for (i = 2; i < argc && strcmp(argv[i], "--"); i++)
        if (!opens(argv[i], RTLD_NOW))
            return 97;
    /* What a first call binds lazily is not the sandbox's to see. */
    request("?libnone.so");
    if (argc < 3 || lock_in(argv[1]))
        return 77;
    for (i++; i < argc; i++)
        request(argv[i]);
    syscall(SYS_exit, 0);
    return 0;
}
