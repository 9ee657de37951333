/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inject LIMIT_MS FOLDER ROUNDS -- PROGRAM...: runs the program once for each line of standard
 * input, with one system call of it made to fail. A line is PROCESS ORDINAL NUMBER HOW:
 *
 *   PROCESS  0 the program, 0.2 its third child, and so on
 *   NUMBER   of the call
 *   ORDINAL  which of its calls of this number, since the program's first execve
 *   HOW      what it does instead:
 *     N        returns N without being made
 *     after:N  returns N when it was made
 *     every:N  returns N, as all later ones of this number do, in all processes, until the program
 *              calls getppid
 *     change   what it does, but before it the file CHANGE_FILE becomes a copy of CHANGE_TO, or
 * goes where that is empty; with CHANGE_CUT it is cut off at so many bytes instead. It is a copy of
 * CHANGE_BACK again before each round half     gets half of its third argument none     gets 0 as
 * its first argument
 *
 * ROUNDS says what is run for a line, after FOLDER was emptied, a letter a run: f: with the fault;
 * n: without, and to it all that was kept in FOLDER seems two minutes old; b: without, before.
 * Prints a line: whether the call was reached, and of all runs but b how the program ended (exit N,
 * signal N, hung), what it printed and what it complained. LIMIT_MS is for a run.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../fixtures/must.h"

#define MOST 64
#define TRACE                                                                                      \
    (PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |      \
     PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL)

struct fault {
    char process[64], how[32];
    long ordinal, number;
};

/* A traced process. */
struct process {
    pid_t pid; /* 0: none */
    char key[64];
    int children;
    long calls;
    bool started, faulted;
    struct user_regs_struct before; /* the call that fails */
};

struct run {
    const struct fault *fault; /* NULL: none, and nothing is traced */
    struct process process[MOST];
    bool reached, done;
    int status; /* of the program */
    bool hung;
};

static long limit_ms;
static char *const *program;
static sigset_t child_signal;

/* Removes what is in the folder and the folders in it, or makes it two minutes older. */
static void visit(const char *path, bool removing)
{
    const struct timespec times[2] = {{time(NULL) - 120, 0}, {time(NULL) - 120, 0}};
    DIR *dir = opendir(path);
    char inner[PATH_MAX];
    struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        MUST(snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name) < (int)sizeof(inner));
        visit(inner, removing);
        if (!removing)
            utimensat(AT_FDCWD, inner, times, AT_SYMLINK_NOFOLLOW);
        else if (unlink(inner) != 0)
            rmdir(inner);
    }
    if (dir)
        closedir(dir);
}

/* By rename, as files are replaced that are in use. */
static void copy(const char *from, const char *to)
{
    static char bytes[64 << 10];
    char new[PATH_MAX];
    struct stat st;
    ssize_t n;

    MUST(snprintf(new, sizeof(new), "%s.new", to) < (int)sizeof(new));
    int in = open(from, O_RDONLY | O_CLOEXEC);
    MUST(in >= 0 && fstat(in, &st) == 0);
    int out = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, st.st_mode & 0777);
    MUST(out >= 0);
    while ((n = read(in, bytes, sizeof(bytes))) > 0)
        MUST(write(out, bytes, (size_t)n) == n);
    close(in);
    close(out);
    MUST(rename(new, to) == 0);
}

static void change(void)
{
    const char *file = getenv("CHANGE_FILE"), *to = getenv("CHANGE_TO");
    const char *cut = getenv("CHANGE_CUT");

    if (cut)
        MUST(truncate(file, atol(cut)) == 0);
    else if (to && *to)
        copy(to, file);
    else
        MUST(unlink(file) == 0);
}

static struct process *process_of(struct run *run, pid_t pid)
{
    size_t i = 0, room = MOST;

    for (; i < MOST && run->process[i].pid != pid; i++)
        if (room == MOST && !run->process[i].pid)
            room = i;
    if (i < MOST)
        return &run->process[i];
    MUST(room < MOST);
    memset(&run->process[room], 0, sizeof(run->process[room]));
    run->process[room].pid = pid;
    return &run->process[room];
}

static bool is_lasting(const struct fault *fault)
{
    return !strncmp(fault->how, "every:", 6);
}

static void begin_call(struct run *run, struct process *process)
{
    const char *how = run->fault->how;
    struct user_regs_struct regs;

    run->reached = true;
    if (!strcmp(how, "change")) {
        change();
        run->done = true;
        return;
    }
    ptrace(PTRACE_GETREGS, process->pid, 0, &regs);
    process->before = regs;
    process->faulted = true;
    if (!strcmp(how, "half"))
        regs.rdx = regs.rdx > 1 ? regs.rdx / 2 : regs.rdx;
    else if (!strcmp(how, "none"))
        regs.rdi = 0;
    else if (strncmp(how, "after:", 6) != 0)
        regs.orig_rax = (unsigned long)-1;
    ptrace(PTRACE_SETREGS, process->pid, 0, &regs);
}

static void end_call(struct run *run, struct process *process)
{
    const char *how = run->fault->how;
    struct user_regs_struct regs;

    ptrace(PTRACE_GETREGS, process->pid, 0, &regs);
    /* A call leaves them as they were. */
    regs.rdi = process->before.rdi;
    regs.rdx = process->before.rdx;
    if (!strncmp(how, "after:", 6) || is_lasting(run->fault))
        regs.rax = (unsigned long)atol(how + 6);
    else if (strcmp(how, "half") != 0 && strcmp(how, "none") != 0)
        regs.rax = (unsigned long)atol(how);
    ptrace(PTRACE_SETREGS, process->pid, 0, &regs);
    process->faulted = false;
    run->done = run->done || !is_lasting(run->fault);
}

static bool is_meant(struct run *run, struct process *process, long number)
{
    return number == run->fault->number && !strcmp(process->key, run->fault->process) &&
           ++process->calls == run->fault->ordinal;
}

static void on_call(struct run *run, struct process *process)
{
    struct __ptrace_syscall_info info;

    if (ptrace(PTRACE_GET_SYSCALL_INFO, process->pid, sizeof(info), &info) < 0)
        return;
    if (info.op == PTRACE_SYSCALL_INFO_EXIT) {
        if (process->faulted)
            end_call(run, process);
    } else if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
        if (run->reached && (long)info.entry.nr == SYS_getppid)
            run->done = true;
        else if (run->reached ? (long)info.entry.nr == run->fault->number
                              : is_meant(run, process, (long)info.entry.nr))
            begin_call(run, process);
    }
}

static void on_child(struct run *run, struct process *parent)
{
    unsigned long pid = 0;

    if (ptrace(PTRACE_GETEVENTMSG, parent->pid, 0, &pid) < 0)
        return;
    struct process *child = process_of(run, (pid_t)pid);
    MUST(snprintf(child->key, sizeof(child->key), "%.50s.%d", parent->key, parent->children++) <
         (int)sizeof(child->key));
}

static void go_on(struct run *run, struct process *process, int signal)
{
    bool counted = !run->done && process->key[0] &&
                   (run->reached || process->faulted || !strcmp(process->key, run->fault->process));

    ptrace(counted ? PTRACE_SYSCALL : PTRACE_CONT, process->pid, 0, (long)signal);
}

/* A child that stops before its parent reported it waits for that. */
static void on_stop(struct run *run, struct process *process, int status)
{
    int signal = WSTOPSIG(status), event = status >> 16;

    if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK || event == PTRACE_EVENT_CLONE) {
        on_child(run, process);
        for (size_t i = 0; i < MOST; i++)
            if (run->process[i].pid && run->process[i].started && run->process[i].calls < 0) {
                run->process[i].calls = 0;
                go_on(run, &run->process[i], 0);
            }
        signal = 0;
    } else if (event) {
        signal = 0;
    } else if (signal == (SIGTRAP | 0x80)) {
        on_call(run, process);
        signal = 0;
    } else if (!process->started) {
        process->started = true;
        signal = 0;
        if (!process->key[0]) {
            process->calls = -1;
            return;
        }
    }
    go_on(run, process, signal);
}

static void start(struct run *run, int out, int err)
{
    pid_t pid = fork();

    MUST(pid >= 0);
    if (pid == 0) {
        dup2(out, STDOUT_FILENO);
        dup2(err, STDERR_FILENO);
        sigprocmask(SIG_UNBLOCK, &child_signal, NULL);
        if (run->fault) {
            ptrace(PTRACE_TRACEME, 0, 0, 0);
            raise(SIGSTOP);
        }
        execv(program[0], program);
        _exit(99);
    }
    struct process *first = process_of(run, pid);
    strcpy(first->key, "0");
    if (!run->fault)
        return;
    MUST(waitpid(pid, NULL, 0) == pid);
    first->started = true;
    MUST(ptrace(PTRACE_SETOPTIONS, pid, 0, TRACE) == 0);
    ptrace(PTRACE_CONT, pid, 0, 0);
}

/* All of them end with it. */
static void reap(struct run *run)
{
    for (size_t i = 0; i < MOST; i++)
        if (run->process[i].pid)
            kill(run->process[i].pid, SIGKILL);
    while (waitpid(-1, NULL, __WALL) > 0)
        ;
}

static void follow(struct run *run)
{
    pid_t first = run->process[0].pid;
    long long until = now_ms() + limit_ms;

    for (;;) {
        int status;
        pid_t pid = waitpid(-1, &status, WNOHANG | __WALL);

        if (pid > 0 && WIFSTOPPED(status)) {
            on_stop(run, process_of(run, pid), status);
        } else if (pid == first) {
            run->status = status;
            run->process[0].pid = 0;
            break;
        } else if (pid > 0) {
            process_of(run, pid)->pid = 0;
        } else {
            long left = (long)(until - now_ms());
            const struct timespec time = {left / 1000, left % 1000 * 1000000};
            run->hung = left <= 0;
            if (run->hung)
                break;
            sigtimedwait(&child_signal, NULL, &time);
        }
    }
    reap(run);
}

static void print_text(int fd)
{
    char text[4096];
    ssize_t n = read(fd, text, sizeof(text));

    putchar('\t');
    for (ssize_t i = 0; i < n; i++)
        if (text[i] == '\n')
            fputs("\\n", stdout);
        else if (text[i] != '\t')
            putchar(text[i]);
}

static void run_once(const struct fault *fault, bool told)
{
    struct run run = {.fault = fault};
    int out[2], err[2];

    MUST(pipe2(out, O_CLOEXEC | O_NONBLOCK) == 0 && pipe2(err, O_CLOEXEC | O_NONBLOCK) == 0);
    fcntl(out[1], F_SETFL, O_WRONLY);
    fcntl(err[1], F_SETFL, O_WRONLY);
    start(&run, out[1], err[1]);
    close(out[1]);
    close(err[1]);
    follow(&run);
    if (fault)
        printf("%s", run.reached ? "reached" : "not reached");
    if (told) {
        if (run.hung)
            printf("\thung");
        else if (WIFSIGNALED(run.status))
            printf("\tsignal %d", WTERMSIG(run.status));
        else
            printf("\texit %d", WEXITSTATUS(run.status));
        print_text(out[0]);
        print_text(err[0]);
    }
    close(out[0]);
    close(err[0]);
}

static void run_rounds(const char *folder, const char *rounds, const struct fault *fault)
{
    visit(folder, true);
    if (getenv("CHANGE_BACK"))
        copy(getenv("CHANGE_BACK"), getenv("CHANGE_FILE"));
    for (; *rounds; rounds++) {
        if (*rounds == 'n')
            visit(folder, false);
        run_once(*rounds == 'f' ? fault : NULL, *rounds != 'b');
    }
    putchar('\n');
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct fault fault;
    char line[256];

    if (argc < 6 || strcmp(argv[4], "--") != 0) {
        fprintf(stderr, "inject LIMIT_MS FOLDER ROUNDS -- PROGRAM...\n");
        return 2;
    }
    limit_ms = atol(argv[1]);
    program = argv + 5;
    sigemptyset(&child_signal);
    sigaddset(&child_signal, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_signal, NULL);
    while (fgets(line, sizeof(line), stdin)) {
        MUST(sscanf(line, "%63s %ld %ld %31s", fault.process, &fault.ordinal, &fault.number,
                    fault.how) == 4);
        run_rounds(argv[2], argv[3], &fault);
    }
    return 0;
}
