/* SPDX-License-Identifier: Apache-2.0 */
/* What is written inside other programs: the log, its warnings, entries of the cache folder. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuarbiter/stderr.h"
#include "machine/cachedir.h"
#include "machine/log.h"
#include "machine/policy.h"
#include "machine/site.h"
#include "root.h"
#include "unit.h"

static char *root, log_file[PATH_MAX], runtime[1024];
static char name_env[PATH_MAX + 32], runtime_env[PATH_MAX + 32], level_env[64];
static char *env[] = {name_env, runtime_env, level_env, NULL};

static int make_root(void **state)
{
    (void)state;
    root = root_make();
    snprintf(log_file, sizeof log_file, "%s/log", root);
    snprintf(runtime, sizeof runtime, "%s/run", root);
    snprintf(name_env, sizeof name_env, "CUARBITER_LOG_FILE=%s", log_file);
    snprintf(runtime_env, sizeof runtime_env, "XDG_RUNTIME_DIR=%s", runtime);
    level_env[0] = 0;
    return mkdir(runtime, 0700);
}

static int remove_root(void **state)
{
    (void)state;
    root_remove(root);
    return 0;
}

static void set_up(void)
{
    const struct cua_settings settings = {.env = env};
    struct cua_site site;

    cua_site_read(&site);
    cua_log_setup(&settings, &site);
    cua_site_release(&site);
}

/* Gives one warning twice, in a process of its own with this limit; how it ended. */
static int warn_at(rlim_t limit)
{
    const struct rlimit size = {limit, RLIM_INFINITY};
    int status;
    pid_t child = fork();

    if (child == 0) {
        signal(SIGXFSZ, SIG_DFL);
        set_up();
        setrlimit(RLIMIT_FSIZE, &size);
        cua_log(CUA_LOG_WARN, "code", "a warning");
        cua_log(CUA_LOG_WARN, "code", "a warning");
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static int lines(void)
{
    FILE *file = fopen(log_file, "r");
    int count = 0, c;

    while (file && (c = getc(file)) != EOF)
        count += c == '\n';
    if (file)
        fclose(file);
    return count;
}

static void ends_nobody_at_a_limit_on_files(void **state)
{
    (void)state;
    assert_int_equal(warn_at(0), 0);
    assert_int_equal(lines(), 0);
}

static void gives_a_warning_once_it_can_be_written(void **state)
{
    (void)state;
    warn_at(0);
    assert_int_equal(warn_at(RLIM_INFINITY), 0);
    assert_int_equal(lines(), 1);
    warn_at(RLIM_INFINITY);
    assert_int_equal(lines(), 1);
}

static void says_it_each_time_at_info(void **state)
{
    (void)state;
    strcpy(level_env, "CUARBITER_LOG=info");
    warn_at(RLIM_INFINITY);
    warn_at(RLIM_INFINITY);
    assert_int_equal(lines(), 4);
}

static void keeps_a_signal_that_was_pending(void **state)
{
    sigset_t set, pending;
    int ends[2];

    (void)state;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    assert_int_equal(sigprocmask(SIG_BLOCK, &set, NULL), 0);
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    assert_false(cua_safe_write(ends[1], "x", 1, cua_call_kernel));
    sigpending(&pending);
    assert_false(sigismember(&pending, SIGPIPE));
    raise(SIGPIPE);
    assert_false(cua_safe_write(ends[1], "x", 1, cua_call_kernel));
    sigpending(&pending);
    assert_true(sigismember(&pending, SIGPIPE));
    close(ends[1]);
    signal(SIGPIPE, SIG_IGN); /* forgets it */
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    signal(SIGPIPE, SIG_DFL);
}

/* A pipe that has room for a page is ready, and would wait with a longer line. */
static void does_not_wait_with_a_long_line(void **state)
{
    static char bytes[8000];
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_true(cua_write_at_once(ends[1], bytes, sizeof(bytes), cua_call_kernel));
    assert_int_equal(read(ends[0], bytes, sizeof(bytes)), 8000);
    for (int left = fcntl(ends[1], F_GETPIPE_SZ); left > 4096; left -= 4096)
        assert_int_equal(write(ends[1], bytes, 4096), 4096);
    alarm(5);
    assert_false(cua_write_at_once(ends[1], bytes, sizeof(bytes), cua_call_kernel));
    alarm(0);
    close(ends[0]);
    close(ends[1]);
}

static int entries(int folder)
{
    int count = 0;

    for (int i = 0; i < 400; i++) {
        char name[32];
        snprintf(name, sizeof name, "warned-%d", i);
        count += faccessat(folder, name, F_OK, 0) == 0;
    }
    return count;
}

static void leaves_no_part_of_an_entry(void **state)
{
    const struct rlimit none = {0, RLIM_INFINITY}, all = {RLIM_INFINITY, RLIM_INFINITY};
    int folder = cua_cachedir_open(runtime, true);
    char path[PATH_MAX];

    (void)state;
    assert_true(folder >= 0);
    assert_int_equal(cua_cachedir_put(folder, "warned-1", "old", 3), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    assert_int_equal(cua_cachedir_put(folder, "warned-1", "new", 3), -EFBIG);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &all), 0);
    snprintf(path, sizeof path, "%s/cuarbiter", runtime);
    assert_int_equal(rmdir(path), -1);
    assert_int_equal(entries(folder), 1);
    unlinkat(folder, "warned-1", 0);
    assert_int_equal(rmdir(path), 0);
    close(folder);
}

static void bounds_what_it_keeps(void **state)
{
    const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    int folder = cua_cachedir_open(runtime, true), held = -1;

    (void)state;
    for (int i = 0; i < 300; i++) {
        char name[32];
        snprintf(name, sizeof name, "warned-%d", i);
        int fd = openat(folder, name, O_WRONLY | O_CREAT, 0600);
        if (i < 280)
            futimens(fd, old);
        if (i == 7)
            held = fd;
        else
            close(fd);
    }
    assert_int_equal(flock(held, LOCK_EX), 0);
    cua_cachedir_tidy(folder);
    assert_int_equal(entries(folder), 21);
    assert_int_equal(faccessat(folder, "warned-7", F_OK, 0), 0);
    close(held);
    close(folder);
}

/* An emptyDir with an fsGroup, and every folder below it. */
static void takes_a_folder_below_a_groups_one(void **state)
{
    struct stat st;

    (void)state;
    assert_int_equal(chmod(runtime, 02770), 0);
    int folder = cua_cachedir_open(runtime, true);
    assert_true(folder >= 0);
    assert_int_equal(fstat(folder, &st), 0);
    assert_int_equal(st.st_mode & 07777, 02700);
    close(folder);
    snprintf(log_file, sizeof log_file, "%s/cuarbiter", runtime);
    assert_int_equal(chmod(log_file, 0750), 0);
    folder = cua_cachedir_open(runtime, true);
    if (folder >= 0) {
        assert_int_equal(fstat(folder, &st), 0);
        assert_int_equal(st.st_mode & 0077, 0);
        close(folder);
    }
}

/* Root made the first file of a folder that is everybody's. */
static void gives_each_user_a_file(void **state)
{
    static const struct cua_choice choice = {.reason = "native", .from = "/a\"b", .without = -1};
    char path[PATH_MAX + 128], line[2048];
    struct utsname host;

    (void)state;
    if (geteuid() != 0)
        CUA_UNIT_SKIP("not root");
    assert_int_equal(uname(&host), 0);
    assert_int_equal(chmod(root, 0711), 0);
    assert_int_equal(mkdir(log_file, 0700), 0);
    assert_int_equal(chmod(log_file, 01777), 0);
    for (uid_t user = 0; user < 65535; user += 65534) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            if (setuid(user) != 0)
                _exit(1);
            set_up();
            cua_log_choice(CUA_LOG_INFO, "native", "it's \xff", &choice);
            _exit(cua_log_collects() ? 0 : 2);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        snprintf(path, sizeof path, "%s/%s-%u.jsonl", log_file, host.nodename, (unsigned)user);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        assert_non_null(fgets(line, sizeof line, file));
        fclose(file);
        assert_non_null(strstr(line, "\"reason\":\"native\",\"from\":\"/a\\\"b\",\"to\":null,"
                                     "\"without\":null,\"message\":\"it's \\ufffd\"}\n"));
    }
}

/* Of a line that a full disk cut only that one is lost. */
static void ends_a_line_that_was_cut(void **state)
{
    char path[PATH_MAX + 128], line[2048];
    struct utsname host;

    (void)state;
    assert_int_equal(uname(&host), 0);
    assert_int_equal(mkdir(log_file, 0700), 0);
    snprintf(path, sizeof path, "%s/%s-%u.jsonl", log_file, host.nodename, (unsigned)geteuid());
    assert_int_equal(warn_at(100), 0);
    assert_int_equal(warn_at(RLIM_INFINITY), 0);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_int_equal(strlen(line), 101);
    assert_non_null(fgets(line, sizeof line, file));
    assert_int_equal(strncmp(line, "{\"time\":", 8), 0);
    assert_non_null(strstr(line, "\"message\":\"a warning\"}\n"));
    assert_null(fgets(line, sizeof line, file));
    fclose(file);
}

/* The end of the last line of the log. */
static void is_end(const char *end)
{
    char line[4096] = "";
    FILE *file = fopen(log_file, "r");

    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        ;
    fclose(file);
    assert_true(strlen(line) >= strlen(end));
    assert_string_equal(line + strlen(line) - strlen(end), end);
}

static void shows_that_a_long_text_is_cut(void **state)
{
    int status;
    pid_t child = fork();

    (void)state;
    if (child == 0) {
        set_up();
        cua_log(CUA_LOG_WARN, "code", "%02000d", 1);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    is_end("000...\n");
}

static void says_what_is_wrong_with_a_long_path(void **state)
{
    char libcuda[64 + 5000];
    char *const long_env[] = {name_env, runtime_env, libcuda, NULL};
    const struct cua_settings settings = {.env = long_env};
    struct cua_policy *policy = malloc(sizeof *policy);
    int status;

    (void)state;
    snprintf(libcuda, sizeof libcuda, "CUARBITER_LIBCUDA=/%05000d", 1);
    pid_t child = fork();
    if (child == 0) {
        cua_policy_read(policy, &settings);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    is_end("000... is ignored: it is too long\n");
    libcuda[strlen("CUARBITER_LIBCUDA=/") + 1000] = '\0';
    child = fork();
    if (child == 0) {
        cua_policy_read(policy, &settings);
        cua_policy_check(policy, &cua_here);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    is_end("000... is ignored: File name too long\n");
    free(policy);
}

#define IN_ROOT(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ROOT(ends_nobody_at_a_limit_on_files),
        IN_ROOT(gives_a_warning_once_it_can_be_written),
        IN_ROOT(says_it_each_time_at_info),
        IN_ROOT(keeps_a_signal_that_was_pending),
        cmocka_unit_test(does_not_wait_with_a_long_line),
        IN_ROOT(leaves_no_part_of_an_entry),
        IN_ROOT(bounds_what_it_keeps),
        IN_ROOT(takes_a_folder_below_a_groups_one),
        IN_ROOT(gives_each_user_a_file),
        IN_ROOT(ends_a_line_that_was_cut),
        IN_ROOT(shows_that_a_long_text_is_cut),
        IN_ROOT(says_what_is_wrong_with_a_long_path),
    };

    return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
