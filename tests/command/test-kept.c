/* SPDX-License-Identifier: Apache-2.0 */
/* One trial for all that ask the same, and one at a time; whatever the cache folder holds. */
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

#include <pthread.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include "trial/trial.h"

static const char *home, *driver;
static char folder[] = "/tmp/cuarbiter-test.XXXXXX";
static char cache[64], counter[64], umd_path[64];

static struct cua_gpu gpu = {.uuid = "GPU-1", .visible = true};

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

static int ask_when(struct cua_trial *trial, const char *kmd, unsigned limit,
                    enum cua_trial_kind when)
{
    static struct cua_trial_answers answers;
    const struct cua_trial_request request = {.home = home,
                                              .when = when,
                                              .limit = limit,
                                              .kmd = kmd,
                                              .gpu = &gpu,
                                              .gpus = 1,
                                              .file = {umd_path}};

    int err = cua_trial_ask(&answers, &request);
    *trial = answers.file[0];
    return err;
}

static int ask_as(struct cua_trial *trial, const char *kmd, unsigned limit)
{
    return ask_when(trial, kmd, limit, CUA_TRIAL_AUTO);
}

static void ask(int code)
{
    struct cua_trial trial;

    assert_int_equal(ask_as(&trial, "535.1", 50), 0);
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
    assert_int_equal(ask_as(&trial, "535.1", 5), 0);
    assert_string_equal(trial.name, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
    assert_string_equal(trial.step, "cuInit");
    assert_int_equal(trial.driver, 12040);
}

static void asks_again_where_something_differs(void **state)
{
    struct cua_trial trial;
    struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, {.tv_sec = 1000}};
    char command[512];

    (void)state;
    ask(803);
    assert_int_equal(ask_as(&trial, "535.2", 5), 0);
    assert_int_equal(count(), 2);
    setenv("CUDA_VISIBLE_DEVICES", "0", 1);
    ask(803);
    assert_int_equal(count(), 3);
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    ask(803);
    assert_int_equal(count(), 4);
    unsetenv("CUDA_VISIBLE_DEVICES");
    setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
    ask(803);
    assert_int_equal(count(), 5);
    unsetenv("CUDA_DEVICE_ORDER");
    /* The folder was carried to another machine. */
    snprintf(gpu.uuid, sizeof(gpu.uuid), "GPU-2");
    ask(803);
    assert_int_equal(count(), 6);
    snprintf(gpu.uuid, sizeof(gpu.uuid), "GPU-1");
    ask(803);
    assert_int_equal(count(), 6);
    assert_int_equal(utimensat(AT_FDCWD, umd_path, times, 0), 0);
    ask(803);
    assert_int_equal(count(), 7);
    /* Another file of the same size and time in its place. */
    snprintf(command, sizeof(command), "cp -p %s %s.new && mv %s.new %s", umd_path, umd_path,
             umd_path, umd_path);
    run(command);
    ask(803);
    assert_int_equal(count(), 8);
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

static void breakage_is_kept_for_a_minute(void **state)
{
    struct cua_trial trial;
    struct timespec times[2];
    char path[PATH_MAX];

    (void)state;
    setenv("ODD", "crash", 1);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ask_as(&trial, "535.1", 50), 0);
        assert_int_equal(trial.how, CUA_TRIAL_BROKEN);
        assert_non_null(strstr(trial.trouble, "signal 6"));
    }
    assert_int_equal(count(), 1);
    find_entry(path, sizeof(path));
    clock_gettime(CLOCK_REALTIME, &times[0]);
    times[0].tv_sec -= 61;
    times[1] = times[0];
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
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
            _exit(ask_as(&trial, "535.1", 5) || trial.how != CUA_TRIAL_RAN || trial.code);
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
    static const char *const bad[] = {"", "\n", "cuarbiter-trial 2\n", "end\n"};
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

/* In a process of its own, because a process waits for trials at most the limit, all in all. */
static void apart(void (*test)(void))
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        alarm(60);
        test();
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "# %s:%d: %s (errno %d)\n", __func__, __LINE__, #condition, errno);    \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static int hold_lock(void)
{
    int fd = open(cache, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    return fd;
}

static void wait_for_lock(void)
{
    struct cua_trial trial;
    long long before = now_ms();

    MUST(ask_as(&trial, "535.1", 1) == -EBUSY);
    MUST(trial.how == CUA_TRIAL_UNTRIED && strstr(trial.trouble, "another"));
    MUST(now_ms() - before < 1500);
    /* And once: its time is spent. */
    before = now_ms();
    MUST(ask_as(&trial, "535.2", 1) != 0);
    MUST(now_ms() - before < 300);
}

/* Nor is a second trial started beside the first: no answer. */
static void lock_is_waited_for_once_and_at_most_the_limit(void **state)
{
    char command[256];

    (void)state;
    ask(803);
    snprintf(command, sizeof(command), "rm -f %s/trial-*", cache);
    run(command);
    int fd = hold_lock();
    apart(wait_for_lock);
    assert_int_equal(count(), 1);
    close(fd);
    ask(803);
    assert_int_equal(count(), 2);
}

/* What is known already is not waited for. */
static void kept_answer_needs_no_lock(void **state)
{
    (void)state;
    ask(803);
    int fd = hold_lock();
    ask(803);
    close(fd);
}

/* A program that forks while a trial runs: its child must not keep the lock. */
static void lock_is_given_back(void **state)
{
    (void)state;
    ask(803);
    close(hold_lock());
}

static void ask_in_silence(void)
{
    struct cua_trial trial;

    setenv("ODD", "hang", 1);
    MUST(ask_as(&trial, "535.1", 1) == 0 && trial.how == CUA_TRIAL_TIMEOUT);
}

static void ask_after_silence(void)
{
    struct cua_trial trial;

    MUST(ask_as(&trial, "535.1", 1) == 0 && trial.how == CUA_TRIAL_TIMEOUT);
    MUST(count() == 1);
    /* Who would wait longer asks again. */
    setenv("ODD", "0", 1);
    MUST(ask_as(&trial, "535.1", 20) == 0 && trial.how == CUA_TRIAL_RAN);
}

static void silence_counts_for_that_long(void **state)
{
    (void)state;
    apart(ask_in_silence);
    apart(ask_after_silence);
}

static void hang_twice(void)
{
    struct cua_trial trial;
    long long before = now_ms();

    setenv("ODD", "hang", 1);
    MUST(ask_as(&trial, "535.1", 1) == 0 && trial.how == CUA_TRIAL_TIMEOUT);
    MUST(ask_as(&trial, "535.2", 1) == -ETIME && trial.how == CUA_TRIAL_UNTRIED);
    MUST(now_ms() - before < 1800);
}

static void a_process_waits_the_limit_once(void **state)
{
    (void)state;
    apart(hang_twice);
}

static void no_folder(void)
{
    snprintf(cache, sizeof(cache), "%s/cuarbiter", folder);
    run("mount -t tmpfs -o ro none /run && mount -t tmpfs -o ro none /dev/shm");
    if (mkdir("/tmp/cuarbiter-0", 0700) != 0 && errno != EEXIST)
        _exit(1);
    if (chmod("/tmp/cuarbiter-0", 0755) != 0)
        _exit(1);
}

static void *ask_always(void *data)
{
    struct cua_trial_answers *answers = calloc(1, sizeof(*answers));
    const struct cua_trial_request request = {
        .home = home, .when = CUA_TRIAL_ALWAYS, .limit = 20, .kmd = "535.1", .file = {umd_path}};

    (void)data;
    MUST(cua_trial_ask(answers, &request) == 0 && answers->file[0].code == 803);
    free(answers);
    return NULL;
}

static void ask_without_folder(void)
{
    struct cua_trial trial;
    pthread_t thread[32];

    no_folder();
    setenv("XDG_RUNTIME_DIR", "/proc", 1);
    MUST(ask_when(&trial, "535.1", 5, CUA_TRIAL_AUTO) == -EROFS);
    MUST(trial.how == CUA_TRIAL_UNTRIED && strstr(trial.trouble, "/dev/shm"));
    MUST(count() == 0);
    MUST(ask_when(&trial, "535.1", 5, CUA_TRIAL_ALWAYS) == 0 && trial.code == 803);
    MUST(count() == 1);
    /* All threads of a process that ask at once: one more at most. */
    for (int i = 0; i < 32; i++)
        MUST(pthread_create(&thread[i], NULL, ask_always, NULL) == 0);
    for (int i = 0; i < 32; i++)
        MUST(pthread_join(thread[i], NULL) == 0);
    MUST(count() == 2);
    MUST(ask_when(&trial, "535.1", 5, CUA_TRIAL_NEVER) == -ECANCELED && count() == 2);
}

/* A memory of its own is the process's, who may mount what it likes. */
static void in_own_mounts(void (*test)(void))
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        alarm(60);
        if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
            _exit(77);
        test();
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
}

static void without_a_folder_auto_tries_nothing(void **state)
{
    (void)state;
    in_own_mounts(ask_without_folder);
}

static void ask_on_full_disk(void)
{
    struct cua_trial trial;
    char command[256];

    snprintf(command, sizeof(command),
             "mkdir -m 700 %s && mount -t tmpfs -o size=8k,mode=700 none %s", cache, cache);
    run(command);
    MUST(ask_as(&trial, "535.1", 5) == -EROFS && count() == 0);
    MUST(ask_when(&trial, "535.1", 5, CUA_TRIAL_ALWAYS) == 0 && trial.code == 803);
    snprintf(command, sizeof(command), "test -z \"$(ls -A %s)\"", cache);
    run(command);
}

static void full_disk_keeps_nothing(void **state)
{
    (void)state;
    in_own_mounts(ask_on_full_disk);
}

static void ask_under_file_limit(void)
{
    const struct rlimit none = {0, 0};
    struct cua_trial trial;

    MUST(setrlimit(RLIMIT_FSIZE, &none) == 0);
    MUST(ask_as(&trial, "535.1", 5) == -EROFS);
}

/* A write beyond it would end the program. */
static void limit_for_files_does_not_end_it(void **state)
{
    (void)state;
    apart(ask_under_file_limit);
    assert_int_equal(count(), 0);
}

/* As a volume with a group of its own is mounted: what is made in it gets the bit. */
static void setgid_parent_is_no_harm(void **state)
{
    (void)state;
    assert_int_equal(chmod(folder, 02700), 0);
    ask(803);
    ask(803);
    assert_int_equal(count(), 1);
    assert_int_equal(chmod(folder, 0700), 0);
}

static void entries_are_bounded(void **state)
{
    char path[PATH_MAX], command[256];

    (void)state;
    ask(803);
    for (int i = 0; i < 200; i++) {
        snprintf(path, sizeof(path), "%s/trial-%d", cache, i);
        close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    }
    snprintf(path, sizeof(path), "%s/trial.1", cache);
    close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    setenv("CUDA_VISIBLE_DEVICES", "7", 1);
    ask(803);
    ask(803);
    assert_int_equal(count(), 2);
    snprintf(command, sizeof(command), "test \"$(ls %s | wc -l)\" = 1", cache);
    run(command);
}

static void what_was_left_is_cleaned(void **state)
{
    char path[PATH_MAX];
    const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};

    (void)state;
    ask(803);
    snprintf(path, sizeof(path), "%s/trial.4711", cache);
    close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    setenv("CUDA_VISIBLE_DEVICES", "7", 1);
    ask(803);
    assert_int_not_equal(access(path, F_OK), 0);
}

static void errno_and_descriptors_are_kept(void **state)
{
    int before = dup(0), after;

    (void)state;
    close(before);
    errno = 77;
    struct cua_trial trial;
    int err = ask_as(&trial, "535.1", 50);
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
        ROW(breakage_is_kept_for_a_minute),
        ROW(one_trial_for_processes_that_start_together),
        ROW(damaged_entry_is_passed_over),
        ROW(entry_that_is_no_file_is_passed_over),
        ROW(folder_of_others_is_not_used),
        ROW(lock_is_waited_for_once_and_at_most_the_limit),
        ROW(kept_answer_needs_no_lock),
        ROW(lock_is_given_back),
        ROW(a_process_waits_the_limit_once),
        ROW(without_a_folder_auto_tries_nothing),
        ROW(full_disk_keeps_nothing),
        ROW(limit_for_files_does_not_end_it),
        ROW(setgid_parent_is_no_harm),
        ROW(entries_are_bounded),
        ROW(what_was_left_is_cleaned),
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
