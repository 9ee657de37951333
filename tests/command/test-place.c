/* SPDX-License-Identifier: Apache-2.0 */
/* The place where answers are kept: its lock, its bounds, and what is tried where there is none. */
#include "kept.h"

#include <pthread.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>

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

    MUST(ask_as(&trial, "535.1", 1) == CUA_BAR_BUSY);
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

static void hang_twice(void)
{
    struct cua_trial trial;
    long long before = now_ms();

    setenv("ODD", "hang", 1);
    MUST(ask_as(&trial, "535.1", 1) == 0 && trial.how == CUA_TRIAL_TIMEOUT);
    MUST(ask_as(&trial, "535.2", 1) == CUA_BAR_WAITED && trial.how == CUA_TRIAL_UNTRIED);
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
    run("mount -t tmpfs -o mode=755 none /tmp/cuarbiter-0");
    setenv("XDG_RUNTIME_DIR", "/proc", 1);
}

#define NO_FOLDER                                                                                  \
    "no private folder in /run, /tmp or /dev/shm can keep its answer (read-only or full?)"

static void is_text(const char *text, const char *wanted)
{
    if (strcmp(text, wanted) == 0)
        return;
    fprintf(stderr, "%s, not %s\n", text, wanted);
    _exit(1);
}

static void *ask_always(void *data)
{
    struct cua_trial_answers *answers = calloc(1, sizeof(*answers));
    const struct cua_settings settings = {.home = home};
    const struct cua_trial_request request = {.settings = &settings,
                                              .when = CUA_TRIAL_ALWAYS,
                                              .limit = 20,
                                              .kmd = "535.1",
                                              .file = {umd_path}};

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
    MUST(ask_when(&trial, "535.1", 5, CUA_TRIAL_AUTO) == CUA_BAR_NO_FOLDER);
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
    MUST(ask_when(&trial, "535.1", 5, CUA_TRIAL_NEVER) == CUA_BAR_OFF && count() == 2);
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
        CUA_UNIT_SKIP("needs namespaces of its own");
    assert_int_equal(status, 0);
}

static void ask_beside_a_holder(void)
{
    int proc = open("/proc", O_RDONLY | O_DIRECTORY);
    struct cua_trial trial;

    no_folder();
    MUST(flock(proc, LOCK_EX | LOCK_NB) == 0);
    MUST(ask_when(&trial, "535.1", 3, CUA_TRIAL_ALWAYS) == 0 && trial.code == 803);
}

/* Any user can open /proc, and keep whoever waits for a lock on it waiting. */
static void the_lock_is_nobody_elses(void **state)
{
    (void)state;
    in_own_mounts(ask_beside_a_holder);
}

static void ask_without_proc(void)
{
    struct cua_trial trial;

    no_folder();
    run("mount -t tmpfs -o ro none /proc");
    ask_when(&trial, "535.1", 5, CUA_TRIAL_AUTO);
    is_text(trial.trouble, NO_FOLDER);
    ask_when(&trial, "535.1", 5, CUA_TRIAL_ALWAYS);
    is_text(trial.trouble, NO_FOLDER);
}

/* Nothing failed to start. */
static void without_a_lock_nothing_is_tried(void **state)
{
    (void)state;
    in_own_mounts(ask_without_proc);
}

static void ask_without_boot(void)
{
    struct cua_trial trial;

    run("mount --bind /dev/null /proc/sys/kernel/random/boot_id");
    MUST(ask_as(&trial, "535.1", 5) == CUA_BAR_NO_KEY && count() == 0);
    is_text(trial.trouble, "its answer cannot be kept: no boot ID in /proc, or too many GPUs");
    MUST(ask_when(&trial, "535.1", 5, CUA_TRIAL_ALWAYS) == 0 && trial.code == 803);
}

/* The folder is not to blame. */
static void without_a_boot_id_auto_tries_nothing(void **state)
{
    (void)state;
    in_own_mounts(ask_without_boot);
}

static void without_a_folder_auto_tries_nothing(void **state)
{
    (void)state;
    in_own_mounts(ask_without_folder);
}

static void ask_in_shared_memory(void)
{
    struct cua_trial trial;

    no_folder();
    run("mount -t tmpfs -o mode=1777 none /dev/shm && mkdir -m 700 /dev/shm/another && "
        "ln -s another /dev/shm/cuarbiter-0");
    MUST(ask_as(&trial, "535.1", 5) == CUA_BAR_NO_FOLDER && count() == 0);
    MUST(unlink("/dev/shm/cuarbiter-0") == 0);
    MUST(ask_as(&trial, "535.1", 5) == 0 && trial.code == 803);
    MUST(ask_as(&trial, "535.1", 5) == 0 && trial.code == 803);
    MUST(count() == 1);
}

/* The last place, and the one that a read-only container has. Somebody's link is none. */
static void shared_memory_keeps_answers(void **state)
{
    (void)state;
    in_own_mounts(ask_in_shared_memory);
}

static void ask_on_full_disk(void)
{
    struct cua_trial trial;
    char command[256];

    snprintf(command, sizeof(command),
             "mkdir -m 700 %s && mount -t tmpfs -o size=8k,mode=700 none %s", cache, cache);
    run(command);
    MUST(ask_as(&trial, "535.1", 5) == CUA_BAR_NO_FOLDER && count() == 0);
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
    MUST(ask_as(&trial, "535.1", 5) == CUA_BAR_NO_FOLDER);
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
    snprintf(command, sizeof(command), "test \"$(ls %s | wc -l)\" -le 129", cache);
    run(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROW(lock_is_waited_for_once_and_at_most_the_limit),
        ROW(kept_answer_needs_no_lock),
        ROW(lock_is_given_back),
        ROW(a_process_waits_the_limit_once),
        ROW(without_a_folder_auto_tries_nothing),
        ROW(the_lock_is_nobody_elses),
        ROW(without_a_lock_nothing_is_tried),
        ROW(without_a_boot_id_auto_tries_nothing),
        ROW(shared_memory_keeps_answers),
        ROW(full_disk_keeps_nothing),
        ROW(limit_for_files_does_not_end_it),
        ROW(setgid_parent_is_no_harm),
        ROW(entries_are_bounded),
    };

    return run_all(tests, sizeof(tests) / sizeof(*tests));
}
