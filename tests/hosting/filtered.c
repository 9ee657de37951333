/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filtered ERRNO|kill CALL COMMAND...: runs the command under an inherited filter that refuses this
 * one system call, or kills for it. The parent has a filter too, so nothing tells that this one is
 * not a container's. A killed command is "killed".
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
    const char *name;
    unsigned number;
} calls[] = {
    {"clone", SYS_clone},     {"exit_group", SYS_exit_group}, {"fcntl", SYS_fcntl},
    {"gettid", SYS_gettid},   {"newfstatat", SYS_newfstatat}, {"pipe2", SYS_pipe2},
    {"ppoll", SYS_ppoll},     {"readlinkat", SYS_readlinkat}, {"setitimer", SYS_setitimer},
    {"setpgid", SYS_setpgid}, {"wait4", SYS_wait4},           {"waitid", SYS_waitid},
};

static void filter(unsigned number, unsigned action)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        perror("seccomp");
        _exit(99);
    }
}

int main(int argc, char **argv)
{
    unsigned action = SECCOMP_RET_KILL_PROCESS;
    size_t i = 0;
    int pair[2], status;
    char byte;

    while (argc > 3 && i < sizeof(calls) / sizeof(*calls) && strcmp(argv[2], calls[i].name) != 0)
        i++;
    if (argc < 4 || i == sizeof(calls) / sizeof(*calls) || pipe(pair) != 0)
        return 99;
    if (strcmp(argv[1], "kill") != 0)
        action = SECCOMP_RET_ERRNO | (unsigned)atoi(argv[1]);
    pid_t child = fork();
    if (child == 0) {
        close(pair[1]);
        if (read(pair[0], &byte, 1) != 0)
            _exit(99);
        filter(calls[i].number, action);
        execvp(argv[3], argv + 3);
        _exit(98);
    }
    filter(~0u, SECCOMP_RET_ALLOW);
    close(pair[0]);
    close(pair[1]);
    if (waitpid(child, &status, 0) != child)
        return 99;
    if (WIFSIGNALED(status))
        puts("killed");
    return WIFSIGNALED(status) ? 0 : WEXITSTATUS(status);
}
