/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the tests of trials: each runs in a process of its own, which gives 0 if all is well.
 */
#ifndef CUA_TEST_APART_H
#define CUA_TEST_APART_H

#include "../fixtures/built.h"
#include "../fixtures/must.h"
#include "../unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "trial/attempt.h"
#include "trial/child.h"
#include "trial/report.h"
#include "trial/trial.h"

static const char *home, *driver;

static inline void apart(void (*test)(void))
{
    int status = -1;
    fflush(NULL);
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(60);
        test();
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* As the command has it. */
static inline int try_now(struct cua_trial *trial, const struct cua_settings *settings,
                          const char *file, unsigned seconds)
{
    const struct cua_trial_request request = {.settings = settings};

    cua_trial_clear(trial);
    return cua_attempt(trial, NULL, &request, file, cua_child_now() + seconds * 1000LL);
}

static inline int try_driver(struct cua_trial *trial, const char *odd, unsigned timeout)
{
    const struct cua_settings settings = {.home = home};

    if (odd)
        setenv("ODD", odd, 1);
    return try_now(trial, &settings, driver, timeout);
}

static inline void must_answer(const char *odd, int code)
{
    struct cua_trial trial;

    MUST(try_driver(&trial, odd, 10) == 0);
    MUST(trial.how == CUA_TRIAL_RAN);
    if (trial.code != code)
        fprintf(stderr, "# code %d instead of %d\n", trial.code, code);
    MUST(trial.code == code);
}

#define CUA_DEFINE(name)                                                                           \
    static void test_##name(void **state)                                                          \
    {                                                                                              \
        (void)state;                                                                               \
        apart(name);                                                                               \
    }
#define CUA_ROW(name) {#name, test_##name, NULL, NULL, NULL},

/* The tests of a program: X(name) for each. */
#define CUA_MAIN(CASES)                                                                            \
    CASES(CUA_DEFINE)                                                                              \
    int main(void)                                                                                 \
    {                                                                                              \
        const struct CMUnitTest tests[] = {CASES(CUA_ROW)};                                        \
        home = strdup(built_path("probe"));                                                        \
        driver = strdup(built_path("tests/command/odd-driver.so"));                                \
        return cmocka_run_group_tests(tests, NULL, NULL);                                          \
    }

#endif
