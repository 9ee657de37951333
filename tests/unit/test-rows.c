/* SPDX-License-Identifier: Apache-2.0 */
/* The shim's table of rows: whatever other threads write, and wherever a fork finds them. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"
#include "known.h"
#include "loaded.h"
#include "objects.h"
#include "syscalls.h"

/* Of the shim, what the table is linked with. */
struct cua_state cua_state;
const struct link_map *cua_objects(void)
{
    return NULL;
}

const char *cua_object_text(const struct link_map *object, ElfW(Sxword) tag)
{
    (void)object;
    (void)tag;
    return NULL;
}

bool cua_is_loaded(const char *name, uint64_t key)
{
    (void)name;
    (void)key;
    return false;
}

long cua_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    return syscall(number, a, b, c, d, e, f);
}

/* All of them get the same two places. */
#define KEYS 3
static const uint64_t first = 1ULL << 63;
static struct cua_row rows[KEYS];
static _Atomic(bool) stop;

static uint64_t key_of(int number)
{
    return first + ((uint64_t)number << 50);
}

static void *writes(void *arg)
{
    (void)arg;
    while (!stop)
        for (int i = 0; i < KEYS; i++)
            cua_row_keep(key_of(i), &rows[i]);
    return NULL;
}

static bool ended(time_t begin)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > begin + 1;
}

static time_t begin(pthread_t thread[2])
{
    struct timespec now;

    stop = false;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, writes, NULL), 0);
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static void end(pthread_t thread[2])
{
    stop = true;
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
}

static void gives_nobody_anothers_row(void **state)
{
    const struct cua_row *row;
    pthread_t thread[2];
    time_t from = begin(thread);
    long wrong = 0;

    (void)state;
    for (long n = 0; n % 1024 || !ended(from); n++) {
        row = cua_row_find(key_of(0));
        wrong += row && row != &rows[0];
    }
    end(thread);
    assert_int_equal(wrong, 0);
}

static void keeps_rows_after_a_fork_in_the_middle(void **state)
{
    pthread_t thread[2];
    time_t from = begin(thread);
    int status = 0;

    (void)state;
    while (!status && !ended(from)) {
        pid_t child = fork();
        if (child == 0) {
            cua_row_keep(key_of(1), &rows[1]);
            cua_row_keep(key_of(2), &rows[2]);
            _exit(!cua_row_find(key_of(1)) || !cua_row_find(key_of(2)));
        }
        assert_int_equal(waitpid(child, &status, 0), child);
    }
    end(thread);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_nobody_anothers_row),
        cmocka_unit_test(keeps_rows_after_a_fork_in_the_middle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
