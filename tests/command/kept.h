/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the tests of answers that are kept: each begins with an empty cache folder, a copy of the odd
 * driver that answers 803, and none counted.
 */
#ifndef CUA_TEST_KEPT_H
#define CUA_TEST_KEPT_H

#include "../fixtures/built.h"
#include "../fixtures/must.h"
#include "../unit/unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

static inline int ask_when(struct cua_trial *trial, const char *kmd, unsigned limit,
                           enum cua_trial_kind when)
{
    static struct cua_trial_answers answers;
    const struct cua_settings settings = {.home = home};
    const struct cua_trial_request request = {.settings = &settings,
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
static inline void find_entry(char *path, size_t size)
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

/* In a process of its own, because a process waits for trials at most the limit, all in all. */
static inline void apart(void (*test)(void))
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

#define ROW(name) cmocka_unit_test_setup(name, fresh)

/* The tests of a program. */
static int run_all(const struct CMUnitTest *tests, size_t n)
{
    char command[128];

    home = strdup(built_path("probe"));
    driver = strdup(built_path("tests/command/odd-driver.so"));
    if (!mkdtemp(folder)) {
        perror(folder);
        return 1;
    }
    snprintf(cache, sizeof(cache), "%s/cuarbiter", folder);
    snprintf(counter, sizeof(counter), "%s/count", folder);
    snprintf(umd_path, sizeof(umd_path), "%s/libcuda.so.1", folder);
    setenv("XDG_RUNTIME_DIR", folder, 1);
    setenv("ODD_COUNT", counter, 1);
    int failed = _cmocka_run_group_tests("tests", tests, n, NULL, NULL);
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command) == 0 ? failed : 1;
}

#endif
