/* SPDX-License-Identifier: Apache-2.0 */
/* One trial for all that ask the same; whatever the cache folder holds. */
#include "kept.h"

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
    assert_int_equal(trial.step, CUA_STEP_INIT);
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

/* Works, kernel driver too old, not for this GPU: as long as the machine is the same. */
static void what_cannot_change_is_kept_for_good(void **state)
{
    static const int lasting[] = {0, 803, 804};
    struct timespec times[2];
    char path[PATH_MAX], text[16];

    (void)state;
    clock_gettime(CLOCK_REALTIME, &times[0]);
    times[0].tv_sec -= 86400;
    times[1] = times[0];
    for (int i = 0; i < (int)(sizeof(lasting) / sizeof(*lasting)); i++) {
        snprintf(text, sizeof(text), "%d", lasting[i]);
        setenv("ODD", text, 1);
        ask(lasting[i]);
        find_entry(path, sizeof(path));
        assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
        setenv("ODD", "999", 1);
        ask(lasting[i]);
        assert_int_equal(count(), i + 1);
        assert_int_equal(unlink(path), 0);
    }
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
    static const char *const bad[] = {"", "\n", "cuarbiter-trial 3\n", "end\n"};
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
    const struct CMUnitTest tests[] = {
        ROW(asks_once),
        ROW(asks_again_where_something_differs),
        ROW(what_may_change_is_kept_for_a_minute),
        ROW(what_cannot_change_is_kept_for_good),
        ROW(silence_counts_for_that_long),
        ROW(breakage_is_kept_for_a_minute),
        ROW(one_trial_for_processes_that_start_together),
        ROW(damaged_entry_is_passed_over),
        ROW(entry_that_is_no_file_is_passed_over),
        ROW(folder_of_others_is_not_used),
        ROW(errno_and_descriptors_are_kept),
    };

    return run_all(tests, sizeof(tests) / sizeof(*tests));
}
