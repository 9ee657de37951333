/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many processes that start together, STORM of them (200): how many trials that makes, and how long
 * the one waits that waits longest. In namespaces of their own.
 */
#include "apart.h"

#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "trial/cache.h"
#include "trial/trial.h"

#define FOLDER "/dev/shm/cuarbiter-storm"

/* Shared by all. */
static struct {
    _Atomic int go, ready, answered, failed, silent, refused;
    _Atomic long long longest;
} * seen;

static void one(int i, int values, enum cua_trial_kind when, unsigned limit)
{
    struct cua_trial_answers *answers = calloc(1, sizeof(*answers));
    const struct cua_settings settings = {.home = home};
    const struct cua_trial_request request = {
        .settings = &settings, .when = when, .limit = limit, .kmd = "535.1", .file = {driver}};
    char devices[16];

    snprintf(devices, sizeof(devices), "%d", i % values);
    setenv("CUDA_VISIBLE_DEVICES", devices, 1);
    seen->ready++;
    while (!seen->go)
        usleep(10000);
    long long before = now_ms();
    int err = cua_trial_ask(answers, &request);
    long long took = now_ms() - before, longest = seen->longest;
    while (took > longest && !atomic_compare_exchange_weak(&seen->longest, &longest, took))
        ;
    if (err)
        seen->refused++;
    else if (answers->file[0].how != CUA_TRIAL_RAN)
        seen->silent++;
    else if (answers->file[0].code != 0)
        seen->failed++;
    else
        seen->answered++;
    _exit(0);
}

static int count(void)
{
    struct stat st;

    return stat(FOLDER "/count", &st) == 0 ? (int)st.st_size : 0;
}

/* Returns how many trials that made. */
static int storm(const char *name, const char *odd, int values, enum cua_trial_kind when,
                 unsigned limit, bool place)
{
    int n = getenv("STORM") ? atoi(getenv("STORM")) : 200;

    MUST(n > 0 && n <= 4000);
    MUST(mount("none", "/dev/shm", "tmpfs", 0, "size=64m") == 0);
    MUST(mkdir(FOLDER, 0700) == 0 && mkdir(FOLDER "/run", 0700) == 0);
    MUST(mount("none", "/run", "tmpfs", MS_RDONLY, NULL) == 0);
    MUST(mount("none", "/tmp", "tmpfs", MS_RDONLY, NULL) == 0);
    setenv("XDG_RUNTIME_DIR", place ? FOLDER "/run" : "/run", 1);
    setenv("ODD", odd, 1);
    setenv("ODD_ALONE", FOLDER "/alone", 1);
    setenv("ODD_COUNT", FOLDER "/count", 1);
    MUST(mkdir("/dev/shm/cuarbiter-0", 0755) == 0);
    memset(seen, 0, sizeof(*seen));
    for (int i = 0; i < n; i++) {
        pid_t pid = fork();
        MUST(pid >= 0);
        if (pid == 0)
            one(i, values, when, limit);
    }
    while (seen->ready < n)
        usleep(10000);
    seen->go = 1;
    while (waitpid(-1, NULL, 0) > 0)
        ;
    fprintf(stderr,
            "# %s: %d processes, %d trials, %d answered 0, %d others, %d silent, %d refused, "
            "longest wait %lld ms\n",
            name, n, count(), seen->answered, seen->failed, seen->silent, seen->refused,
            seen->longest);
    MUST(seen->answered + seen->failed + seen->silent + seen->refused == n);
    MUST(seen->failed == 0);
    /* The limit, the end of the child, and a busy machine. */
    MUST(seen->longest < limit * 1000 + 2000);
    return count();
}

static void one_value(void)
{
    MUST(storm("a place, one value", "alone", 1, CUA_TRIAL_AUTO, 10, true) == 1);
    MUST(seen->refused == 0 && seen->silent == 0);
}

static void eight_values(void)
{
    MUST(storm("a place, eight values", "alone", 8, CUA_TRIAL_AUTO, 10, true) == 8);
    MUST(seen->refused == 0 && seen->silent == 0);
}

static void no_place(void)
{
    MUST(storm("no place, auto", "alone", 1, CUA_TRIAL_AUTO, 10, false) == 0);
    MUST(seen->answered == 0 && seen->silent == 0 && seen->longest < 1000);
}

static void no_place_always(void)
{
    int trials = storm("no place, always, eight values", "alone", 8, CUA_TRIAL_ALWAYS, 2, false);

    MUST(trials > 0 && trials <= 20);
}

static void open_lock(uid_t user, int out)
{
    const struct cua_settings settings = {.home = home};
    struct stat st = {0};
    bool kept = true;

    MUST(setresuid(user, user, user) == 0 && prctl(PR_SET_DUMPABLE, 1) == 0);
    int fd = cua_answers_open(&settings, &kept);
    MUST(fd >= 0 && !kept && fstat(fd, &st) == 0);
    MUST(write(out, &st.st_ino, sizeof(st.st_ino)) == sizeof(st.st_ino));
    for (;;)
        pause();
}

/* What one process of a user waits for another one holds, and nobody else can. */
static void one_lock_a_user(void)
{
    static const uid_t user[] = {65534, 65534, 65533};
    ino_t lock[3];
    int pair[2];

    MUST(mount("none", "/dev/shm", "tmpfs", MS_RDONLY, NULL) == 0);
    MUST(mount("none", "/run", "tmpfs", MS_RDONLY, NULL) == 0);
    MUST(mount("none", "/tmp", "tmpfs", MS_RDONLY, NULL) == 0);
    setenv("XDG_RUNTIME_DIR", "/run", 1);
    MUST(pipe(pair) == 0);
    for (int i = 0; i < 3; i++) {
        if (fork() == 0)
            open_lock(user[i], pair[1]);
        MUST(read(pair[0], &lock[i], sizeof(lock[i])) == sizeof(lock[i]));
    }
    MUST(lock[0] == lock[1] && lock[0] != lock[2]);
}

static void hanging(void)
{
    MUST(storm("a place, a driver that hangs", "hang", 1, CUA_TRIAL_AUTO, 2, true) == 1);
}

static void crashing(void)
{
    MUST(storm("a place, a driver that crashes", "crash", 1, CUA_TRIAL_AUTO, 10, true) == 1);
}

/* A clone may lie below /tmp, which nobody sees once storm() has mounted over it. */
static void stay_in_sight(void)
{
    char copy[2 * PATH_MAX + 100];

    snprintf(copy, sizeof(copy), "cp '%s/cuarbiter' '%s' /mnt", home, driver);
    MUST(mount("none", "/mnt", "tmpfs", 0, "size=64m,mode=755") == 0 && system(copy) == 0);
    home = "/mnt";
    driver = "/mnt/odd-driver.so";
}

/* The first process of namespaces of its own: all ends with it. */
static void apart_from_all(void (*test)(void))
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        if (unshare(CLONE_NEWNS | CLONE_NEWPID) != 0)
            _exit(77);
        pid_t first = fork();
        if (first == 0) {
            alarm(100);
            signal(SIGCHLD, SIG_DFL);
            if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
                mount("none", "/proc", "proc", 0, NULL) != 0)
                _exit(77);
            stay_in_sight();
            seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                        0);
            MUST(seen != MAP_FAILED);
            test();
            _exit(0);
        }
        MUST(waitpid(first, &status, 0) == first);
        _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        CUA_UNIT_SKIP("needs namespaces of its own");
    assert_int_equal(status, 0);
}

#define ROW(name)                                                                                  \
    static void test_##name(void **state)                                                          \
    {                                                                                              \
        (void)state;                                                                               \
        apart_from_all(name);                                                                      \
    }
ROW(one_value)
ROW(eight_values)
ROW(no_place)
ROW(no_place_always)
ROW(one_lock_a_user)
ROW(hanging)
ROW(crashing)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_value),       cmocka_unit_test(test_eight_values),
        cmocka_unit_test(test_no_place),        cmocka_unit_test(test_no_place_always),
        cmocka_unit_test(test_hanging),         cmocka_unit_test(test_crashing),
        cmocka_unit_test(test_one_lock_a_user),
    };

    home = strdup(built_path("probe"));
    driver = strdup(built_path("tests/command/odd-driver.so"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
