/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds ld.so's list by the lock that libc's own dl_iterate_phdr takes. A plain call might reach
 * the program's: that may show an old copy of the list, or take a lock of its own.
 *
 * fork copies this lock as it is, and glibc does not free it in the child: if another thread held
 * it, the child waits for ever at its next dlopen or exception. So a fork waits until none of our
 * threads holds it, but not for ever: such a thread may itself wait for the lock.
 */
#include <linux/futex.h>

#include "objects.h"
#include "state.h"
#include "syscalls.h"

#define TIMES 1000

static _Atomic(int) holders, forks;

/* For 0.1 ms. By futex, which no filter forbids where there are threads. */
static void wait_for(_Atomic(int) *count)
{
    struct timespec most = {0, 100000};

    cua_syscall(SYS_futex, (long)count, FUTEX_WAIT_PRIVATE, atomic_load(count), (long)&most, 0, 0);
}

static void before_fork(void)
{
    int i;

    atomic_fetch_add(&forks, 1);
    for (i = 0; i < TIMES && atomic_load(&holders); i++)
        wait_for(&holders);
}

static void after_fork(void)
{
    atomic_fetch_sub(&forks, 1);
}

static void in_child(void)
{
    atomic_store(&holders, 0);
    atomic_store(&forks, 0);
}

/* Lets forks go first. This thread is among the holders before and after. */
static __attribute__((noinline)) void wait_for_forks(void)
{
    int i;

    for (i = 0; i < TIMES && atomic_load(&forks); i++) {
        atomic_fetch_sub(&holders, 1);
        wait_for(&forks);
        atomic_fetch_add(&holders, 1);
    }
}

/* libc's own dl_iterate_phdr; NULL on musl. */
static __attribute__((noinline)) cua_iterate *find_iterate(void)
{
    typedef int register_function(void (*)(void), void (*)(void), void (*)(void), void *);
    const struct link_map *libc = CUA_GET(libc);
    cua_iterate *iterate = libc ? cua_object_symbol(libc, "dl_iterate_phdr") : NULL;
    register_function *atfork = libc ? cua_object_symbol(libc, "__register_atfork") : NULL;

    if (iterate && atfork)
        atfork(before_fork, after_fork, in_child, NULL);
    CUA_SET(iterate, iterate);
    return iterate;
}

int cua_objects_iterate(int (*visit)(struct dl_phdr_info *, size_t, void *), void *arg)
{
    cua_iterate *iterate = CUA_GET(iterate);
    int result;

    if (!iterate && !(iterate = find_iterate()))
        return 0;
    atomic_fetch_add(&holders, 1);
    if (atomic_load(&forks))
        wait_for_forks();
    result = iterate(visit, arg);
    atomic_fetch_sub(&holders, 1);
    return result;
}

struct hold {
    void (*visit)(void *arg, uint64_t unloaded);
    void *arg;
};

static int visit_once(struct dl_phdr_info *object, size_t size, void *arg)
{
    const struct hold *hold = arg;

    (void)size;
    hold->visit(hold->arg, object->dlpi_subs);
    return 1;
}

void cua_objects_hold(void (*visit)(void *arg, uint64_t unloaded), void *arg)
{
    struct hold hold = {visit, arg};

    if (!cua_objects_iterate(visit_once, &hold)) /* musl never unloads */
        visit(arg, 0);
}

static int read_unloaded(struct dl_phdr_info *object, size_t size, void *arg)
{
    (void)size;
    *(uint64_t *)arg = object->dlpi_subs;
    return 1;
}

__attribute__((flatten)) uint64_t cua_objects_unloaded(void)
{
    uint64_t unloaded = 0;

    cua_objects_iterate(read_unloaded, &unloaded);
    return unloaded;
}
