/* SPDX-License-Identifier: Apache-2.0 */
/* What a trial finds out, and what the child it runs in is like. */
#include "apart.h"
#include "trial/trial.h"

#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static void tells_code_and_devices(void)
{
    struct cua_trial trial;

    MUST(try_driver(&trial, "0", 10) == 0);
    MUST(trial.how == CUA_TRIAL_RAN && trial.code == 0 && !trial.step);
    MUST(trial.driver == 12040 && trial.devices == 2 && trial.lowest_cc == 75);
    must_answer("803", 803);
    MUST(try_driver(&trial, "804", 10) == 0);
    MUST(trial.step == CUA_STEP_INIT);
    MUST(strcmp(trial.name, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE") == 0);
}

static void has_no_preload_and_keeps_the_rest(void)
{
    setenv("LD_PRELOAD", "/nonexistent.so", 1);
    setenv("ODD_KEPT", "1", 1);
    must_answer("preload", 7000);
    must_answer("kept", 7001);
}

/* They belong to the program: an injection loads code, a debugger's waits, a log is the user's. */
static void has_nothing_of_the_programs_tools(void)
{
    static const char *const names[] = {
        "CUDA_INJECTION64_PATH",
        "CUDA_INJECTION32_PATH",
        "NVTX_INJECTION64_PATH",
        "NVTX_INJECTION32_PATH",
        "CUDBG_USE_LEGACY_DEBUGGER",
        "CUDBG_INJECTION_PATH",
        "CUDBG_APICLIENT_PID",
        "CUDA_ENABLE_COREDUMP_ON_EXCEPTION",
        "CUDA_ENABLE_CPU_COREDUMP_ON_EXCEPTION",
        "CUDA_ENABLE_USER_TRIGGERED_COREDUMP",
        "CUDA_COREDUMP_PIPE",
        "CUDA_DEVICE_WAITS_ON_EXCEPTION",
        "CUDA_LOG_FILE",
        "CUDA_PROFILE",
        "COMPUTE_PROFILE",
        "COMPUTE_PROFILE_LOG",
        "CUPTI_TRACE_LEVEL",
        "NSYS_PROFILING_SESSION_ID",
        "QUADD_INJECTION_PROXY",
        "NV_COMPUTE_PROFILER_PERFWORKS_DIR",
        "NV_NSIGHT_INJECTION_PORT_BASE",
        "NV_PROFILE_TIMEOUT",
        "NV_SANITIZER_INJECTION_TRANSPORT_TYPE",
        "NV_TPS_LAUNCH_TOKEN",
        "SANITIZER_DISABLE_PARALLEL_LAUNCHES",
        "__NVML_DBG_FILE",
        "LD_DEBUG",
        "LD_DEBUG_OUTPUT",
        "LD_PROFILE",
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        setenv(names[i], "a tool's", 1);
    must_answer("tools", 8000);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        MUST(getenv(names[i]));
}

static void hang_ends_in_time(void)
{
    struct cua_trial trial;
    long long before = now_ms();

    MUST(try_driver(&trial, "hang", 1) == 0);
    MUST(trial.how == CUA_TRIAL_TIMEOUT && !trial.left_behind);
    MUST(trial.step == CUA_STEP_INIT);
    MUST(now_ms() - before >= 1000 && now_ms() - before < 3000);
    before = now_ms();
    MUST(try_driver(&trial, "stop", 1) == 0 && trial.how == CUA_TRIAL_TIMEOUT);
    MUST(try_driver(&trial, "spin", 1) == 0 && trial.how == CUA_TRIAL_TIMEOUT);
    MUST(now_ms() - before < 6000);
}

static void crash_is_broken(void)
{
    struct cua_trial trial;

    MUST(try_driver(&trial, "crash", 10) == 0 && trial.how == CUA_TRIAL_BROKEN);
    MUST(strstr(trial.trouble, "signal 6"));
    MUST(try_driver(&trial, "exit", 10) == 0 && trial.how == CUA_TRIAL_BROKEN);
    MUST(strstr(trial.trouble, "exit code 7"));
}

static void what_the_driver_forked_is_gone(void)
{
    long long before = now_ms();
    struct cua_trial trial;

    prctl(PR_SET_CHILD_SUBREAPER, 1);
    must_answer("fork", 0);
    must_answer("fork-session", 0);
    MUST(try_driver(&trial, "fork-crash", 10) == 0 && trial.how == CUA_TRIAL_BROKEN);
    must_answer("atexit-hang", 0);
    MUST(now_ms() - before < 3000);
    MUST(waitpid(-1, NULL, WNOHANG | __WALL) == -1 && errno == ECHILD);
}

static void no_descriptor_goes_in(void)
{
    for (int i = 0; i < 50; i++)
        MUST(dup(0) >= 0);
    /* 0, 1, 2 and the report's. */
    must_answer("descriptors", 5004);
}

static void helper_has_its_signals(void)
{
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    must_answer("signals", 6000);
}

static void refused_process_is_an_error(void)
{
    const struct rlimit none = {0, 0};
    struct cua_trial trial;

    if (geteuid() == 0)
        MUST(setresgid(65534, 65534, 65534) == 0 && setresuid(65534, 65534, 65534) == 0);
    MUST(setrlimit(RLIMIT_NPROC, &none) == 0);
    MUST(try_driver(&trial, "0", 10) == -EAGAIN);
}

static int try_file(struct cua_trial *trial, const char *from, const char *file)
{
    const struct cua_settings settings = {.home = from};

    return try_now(trial, &settings, file, 10);
}

static void missing_command_is_an_error(void)
{
    struct cua_trial trial;

    MUST(try_file(&trial, "/nonexistent", driver) == CUA_BAR_NO_COMMAND);
    MUST(trial.how == CUA_TRIAL_UNTRIED);
    MUST(waitpid(-1, NULL, WNOHANG | __WALL) == -1 && errno == ECHILD);
}

/* A sandbox: what this system call becomes. */
static void filter(int number, unsigned action)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

    MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

static void sandbox_without_clone_is_an_error(void)
{
    struct cua_trial trial;

    filter(SYS_clone, SECCOMP_RET_ERRNO | EPERM);
    MUST(try_driver(&trial, "0", 10) == -EPERM && trial.how == CUA_TRIAL_UNTRIED);
}

static void sandbox_without_exec_is_an_error(void)
{
    struct cua_trial trial;

    filter(SYS_execve, SECCOMP_RET_ERRNO | EPERM);
    MUST(try_driver(&trial, "0", 10) == -EPERM);
    MUST(waitpid(-1, NULL, WNOHANG | __WALL) == -1 && errno == ECHILD);
}

static void sandbox_that_kills_kills_the_child(void)
{
    struct cua_trial trial;

    filter(SYS_execve, SECCOMP_RET_KILL_PROCESS);
    MUST(try_driver(&trial, "0", 10) == 0 && trial.how == CUA_TRIAL_BROKEN);
    MUST(!cua_trial_refused(&trial));
}

static void noexec_is_an_error(void)
{
    struct cua_trial trial;
    char command[2 * PATH_MAX];

    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", "/mnt", "tmpfs", MS_NOEXEC, "size=16m") != 0) {
        fprintf(stderr, "# no mount namespace can be made here\n");
        return;
    }
    snprintf(command, sizeof(command), "cp '%s/cuarbiter' /mnt", home);
    MUST(system(command) == 0);
    MUST(try_file(&trial, "/mnt", driver) == -EACCES);
}

static void what_is_no_driver_is_not_loaded(void)
{
    struct cua_trial trial;

    MUST(try_file(&trial, home, "/etc/passwd") == 0);
    MUST(trial.how == CUA_TRIAL_UNLOADED && trial.step == CUA_STEP_LOAD && trial.trouble[0]);
    MUST(try_file(&trial, home, "/nonexistent") == 0);
    MUST(trial.how == CUA_TRIAL_UNLOADED);
}

/* Run by root, a driver makes the nodes that it misses, and the next process takes them for a
 * machine with NVIDIA. */
static void root_makes_no_nodes(void)
{
    char node[64];

    snprintf(node, sizeof(node), "/tmp/cuarbiter-node.%d", (int)getpid());
    setenv("ODD_NODE", node, 1);
    must_answer("node", 7000);
    MUST(access(node, F_OK) != 0);
}

static void crash_leaves_no_core(void)
{
    must_answer("core", 7001);
}

static void first_answer_counts(void)
{
    must_answer("fork-both", 0);
}

#define CASES(X)                                                                                   \
    X(tells_code_and_devices)                                                                      \
    X(has_no_preload_and_keeps_the_rest)                                                           \
    X(has_nothing_of_the_programs_tools)                                                           \
    X(hang_ends_in_time)                                                                           \
    X(crash_is_broken)                                                                             \
    X(what_the_driver_forked_is_gone)                                                              \
    X(no_descriptor_goes_in)                                                                       \
    X(helper_has_its_signals)                                                                      \
    X(refused_process_is_an_error)                                                                 \
    X(missing_command_is_an_error)                                                                 \
    X(sandbox_without_clone_is_an_error)                                                           \
    X(sandbox_without_exec_is_an_error)                                                            \
    X(sandbox_that_kills_kills_the_child)                                                          \
    X(noexec_is_an_error)                                                                          \
    X(root_makes_no_nodes)                                                                         \
    X(crash_leaves_no_core)                                                                        \
    X(first_answer_counts)                                                                         \
    X(what_is_no_driver_is_not_loaded)

CUA_MAIN(CASES)
