/* SPDX-License-Identifier: Apache-2.0 */
/* One trial for all that ask the same; whatever the cache folder holds. */
#include "../unit/unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "trial/trial.h"
#include "facts/facts.h"
#include "machine/view.h"
#include "trial/answers.h"

static const char *home, *driver;
static char folder[] = "/tmp/cuarbiter-test.XXXXXX";
static char cache[64], counter[64], umd_path[64];

static struct cua_gpu gpu = {.uuid = "GPU-1", .visible = true};
static struct cua_facts facts = {.gpus = &gpu, .gpu_count = 1};

static int count(void)
{
    struct stat st;

    return stat(counter, &st) == 0 ? (int)st.st_size : 0;
}

static void run(const char *command)
{
    assert_int_equal(system(command), 0);
}

static int fresh(void **state)
{
    char command[256];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s %s && cp %s %s", cache, counter, driver,
             umd_path);
    run(command);
    setenv("ODD", "803", 1);
    unsetenv("CUDA_VISIBLE_DEVICES");
    return 0;
}

static int ask_as(struct cua_trial *trial, const char *kmd, unsigned timeout, bool contexts)
{
    const struct cua_view view = {.sysroot = "", .home = home};
    struct cua_umd umd = {.path = umd_path, .real = umd_path};

    snprintf(facts.kmd.version.text, sizeof(facts.kmd.version.text), "%s", kmd);
    return cua_trial_cached(trial, &facts, &umd, &view, timeout, contexts);
}

static void ask(int code)
{
    struct cua_trial trial;

    assert_int_equal(ask_as(&trial, "535.1", 5, false), 0);
    assert_int_equal(trial.how, CUA_TRIAL_RAN);
    assert_int_equal(trial.code, code);
}

/* The one file of the cache that is an entry. */
static void find_entry(char *path, size_t size)
{
    DIR *dir = opendir(cache);
    struct dirent *entry;

    path[0] = '\0';
    while (dir && (entry = readdir(dir)))
        if (strncmp(entry->d_name, "trial-", 6) == 0 && !strchr(entry->d_name, '.')) {
            assert_string_equal(path, "");
            snprintf(path, size, "%s/%s", cache, entry->d_name);
        }
    if (dir)
        closedir(dir);
}

static void asks_once(void **state)
{
    struct cua_trial trial;

    (void)state;
    ask(803);
    assert_int_equal(count(), 1);
    setenv("ODD", "0", 1);
    ask(803);
    assert_int_equal(count(), 1);
    assert_int_equal(ask_as(&trial, "535.1", 5, false), 0);
    assert_string_equal(trial.name, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
    assert_string_equal(trial.step, "cuInit");
    assert_int_equal(trial.driver, 12040);
}

static void asks_again_where_something_differs(void **state)
{
    struct cua_trial trial;
    struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, {.tv_sec = 1000}};

    (void)state;
    ask(803);
    assert_int_equal(ask_as(&trial, "535.2", 5, false), 0);
    assert_int_equal(count(), 2);
    assert_int_equal(ask_as(&trial, "535.2", 5, true), 0);
    assert_int_equal(count(), 3);
    setenv("CUDA_VISIBLE_DEVICES", "0", 1);
    ask(803);
    assert_int_equal(count(), 4);
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    ask(803);
    assert_int_equal(count(), 5);
    unsetenv("CUDA_VISIBLE_DEVICES");
    snprintf(gpu.uuid, sizeof(gpu.uuid), "GPU-2");
    ask(803);
    assert_int_equal(count(), 6);
    snprintf(gpu.uuid, sizeof(gpu.uuid), "GPU-1");
    ask(803);
    assert_int_equal(count(), 6);
    assert_int_equal(utimensat(AT_FDCWD, umd_path, times, 0), 0);
    ask(803);
    assert_int_equal(count(), 7);
}

static void what_may_change_is_kept_for_a_minute(void **state)
{
    char path[PATH_MAX];
    struct timespec times[2];

    (void)state;
    setenv("ODD", "100", 1);
    ask(100);
    ask(100);
    assert_int_equal(count(), 1);
    find_entry(path, sizeof(path));
    clock_gettime(CLOCK_REALTIME, &times[0]);
    times[0].tv_sec -= 61;
    times[1] = times[0];
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    setenv("ODD", "0", 1);
    ask(0);
    assert_int_equal(count(), 2);
    /* And what cannot change, for good. */
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    ask(0);
    assert_int_equal(count(), 2);
    /* A clock that was set back. */
    setenv("ODD", "100", 1);
    assert_int_equal(unlink(path), 0);
    ask(100);
    times[0].tv_sec += 100000;
    times[1] = times[0];
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    ask(100);
    assert_int_equal(count(), 4);
}

static void silence_counts_for_that_long(void **state)
{
    struct cua_trial trial;

    (void)state;
    setenv("ODD", "hang", 1);
    assert_int_equal(ask_as(&trial, "535.1", 1, false), 0);
    assert_int_equal(trial.how, CUA_TRIAL_TIMEOUT);
    assert_int_equal(ask_as(&trial, "535.1", 1, false), 0);
    assert_int_equal(trial.how, CUA_TRIAL_TIMEOUT);
    assert_int_equal(count(), 1);
    setenv("ODD", "0", 1);
    assert_int_equal(ask_as(&trial, "535.1", 2, false), 0);
    assert_int_equal(trial.how, CUA_TRIAL_RAN);
}

static void breakage_is_not_kept(void **state)
{
    struct cua_trial trial;

    (void)state;
    setenv("ODD", "crash", 1);
    assert_int_equal(ask_as(&trial, "535.1", 5, false), 0);
    assert_int_equal(trial.how, CUA_TRIAL_BROKEN);
    setenv("ODD", "0", 1);
    ask(0);
}

static void one_trial_for_processes_that_start_together(void **state)
{
    pid_t child[8];
    int status;

    (void)state;
    setenv("ODD", "slow", 1);
    for (int i = 0; i < 8; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            struct cua_trial trial;
            _exit(ask_as(&trial, "535.1", 5, false) || trial.how != CUA_TRIAL_RAN || trial.code);
        }
    }
    for (int i = 0; i < 8; i++) {
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(count(), 1);
}

static void put(const char *path, const char *text, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, size), size);
    close(fd);
}

static void damaged_entry_is_passed_over(void **state)
{
    char path[PATH_MAX], text[8192];
    int trials = 1;

    (void)state;
    ask(803);
    find_entry(path, sizeof(path));
    int fd = open(path, O_RDONLY);
    ssize_t n = read(fd, text, sizeof(text));
    close(fd);
    assert_true(n > 100);
    /* Cut anywhere in its second half, which is the answer. */
    for (ssize_t cut = n - 1; cut > n - 120; cut -= 17) {
        put(path, text, (size_t)cut);
        ask(803);
        assert_int_equal(count(), ++trials);
    }
    static const char *const bad[] = {"", "\n", "cuarbiter-trial 1\n", "end\n"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        put(path, bad[i], strlen(bad[i]));
        ask(803);
        assert_int_equal(count(), ++trials);
    }
    memset(text, 'A', sizeof(text));
    put(path, text, sizeof(text));
    ask(803);
    assert_int_equal(count(), ++trials);
    memset(text, 0, sizeof(text));
    put(path, text, sizeof(text));
    ask(803);
    assert_int_equal(count(), ++trials);
    ask(803);
    assert_int_equal(count(), trials);
}

static void entry_that_is_no_file_is_passed_over(void **state)
{
    char path[PATH_MAX], target[128];

    (void)state;
    ask(803);
    find_entry(path, sizeof(path));
    snprintf(target, sizeof(target), "%s/elsewhere", folder);
    assert_int_equal(rename(path, target), 0);
    assert_int_equal(symlink(target, path), 0);
    setenv("ODD", "0", 1);
    ask(0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    ask(0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    ask(0);
    assert_int_equal(count(), 4);
}

static void folder_of_others_is_not_used(void **state)
{
    char path[PATH_MAX];

    (void)state;
    ask(803);
    find_entry(path, sizeof(path));
    assert_int_equal(chmod(cache, 0750), 0);
    setenv("ODD", "804", 1);
    ask(804);
    assert_int_equal(chmod(cache, 0700), 0);
    ask(803);
    if (geteuid() == 0) {
        assert_int_equal(chown(cache, 65534, 65534), 0);
        ask(804);
    }
}

static long long now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void lock_that_is_never_given_back_is_not_waited_for_ever(void **state)
{
    char path[PATH_MAX], lock[PATH_MAX + 8];
    struct cua_trial trial;
    long long before;

    (void)state;
    ask(803);
    find_entry(path, sizeof(path));
    assert_int_equal(unlink(path), 0);
    snprintf(lock, sizeof(lock), "%s.lock", path);
    int fd = open(lock, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    before = now_ms();
    assert_int_equal(ask_as(&trial, "535.1", 1, false), 0);
    assert_int_equal(trial.code, 803);
    assert_true(now_ms() - before < 8000);
    close(fd);
}

/* A program that forks while a trial runs: its child must not keep the lock. */
static void forked_child_does_not_keep_the_lock(void **state)
{
    char path[PATH_MAX], lock[PATH_MAX + 8];

    (void)state;
    ask(803);
    find_entry(path, sizeof(path));
    snprintf(lock, sizeof(lock), "%s.lock", path);
    int fd = open(lock, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    close(fd);
}

static void sysroot_does_not_move_it(void **state)
{
    const struct cua_view view = {.sysroot = folder, .home = home};
    struct cua_umd umd = {.path = umd_path, .real = umd_path};
    struct cua_trial trial;

    (void)state;
    ask(803);
    setenv("ODD", "0", 1);
    assert_int_equal(cua_trial_cached(&trial, &facts, &umd, &view, 5, false), 0);
    assert_int_equal(trial.code, 803);
}

static void errno_and_descriptors_are_kept(void **state)
{
    int before = dup(0), after;

    (void)state;
    close(before);
    errno = 77;
    struct cua_trial trial;
    int err = ask_as(&trial, "535.1", 5, false);
    assert_int_equal(errno, 77);
    assert_int_equal(err, 0);
    after = dup(0);
    close(after);
    assert_int_equal(after, before);
}

int main(void)
{
#define ROW(name) cmocka_unit_test_setup(name, fresh)
    const struct CMUnitTest tests[] = {
        ROW(asks_once),
        ROW(asks_again_where_something_differs),
        ROW(what_may_change_is_kept_for_a_minute),
        ROW(silence_counts_for_that_long),
        ROW(breakage_is_not_kept),
        ROW(one_trial_for_processes_that_start_together),
        ROW(damaged_entry_is_passed_over),
        ROW(entry_that_is_no_file_is_passed_over),
        ROW(folder_of_others_is_not_used),
        ROW(lock_that_is_never_given_back_is_not_waited_for_ever),
        ROW(forked_child_does_not_keep_the_lock),
        ROW(sysroot_does_not_move_it),
        ROW(errno_and_descriptors_are_kept),
    };
    char command[128];

    home = getenv("CUA_HOME");
    driver = getenv("CUA_ODD");
    if (!home || !driver || !mkdtemp(folder)) {
        puts("1..0 # SKIP CUA_HOME and CUA_ODD are not set");
        return 77;
    }
    snprintf(cache, sizeof(cache), "%s/cuarbiter", folder);
    snprintf(counter, sizeof(counter), "%s/count", folder);
    snprintf(umd_path, sizeof(umd_path), "%s/libcuda.so.1", folder);
    setenv("XDG_RUNTIME_DIR", folder, 1);
    setenv("ODD_COUNT", counter, 1);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command) == 0 ? failed : 1;
}
