/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lent-stack coroutine|thread|handler NAME: opens NAME on a stack that is cut out of a block on the
 * heap, without a guard. Prints "opened" and how many bytes of the block below were written.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define BELOW ((size_t)256 * 1024)
#define PAGE  4096
#define FILL  0x5a

/* Linux's, which not every libc names. */
#define AUTODISARM (1U << 31)

static const char *name;
static void *handle;

static void opens(void)
{
    handle = dlopen(name, RTLD_NOW);
}

static void *in_thread(void *arg)
{
    opens();
    return arg;
}

static void on_signal(int signal)
{
    (void)signal;
    opens();
}

static int on_coroutine(void *stack, size_t size)
{
    static ucontext_t program, coroutine;

    if (getcontext(&coroutine) != 0)
        return -1;
    coroutine.uc_stack = (stack_t){.ss_sp = stack, .ss_size = size};
    coroutine.uc_link = &program;
    makecontext(&coroutine, opens, 0);
    return swapcontext(&program, &coroutine);
}

static int on_thread(void *stack, size_t size)
{
    pthread_attr_t attr;
    pthread_t thread;

    return pthread_attr_init(&attr) | pthread_attr_setstack(&attr, stack, size) |
           pthread_create(&thread, &attr, in_thread, NULL) | pthread_join(thread, NULL);
}

/* The kernel says of such a stack that it is not in use. */
static int on_handler(void *stack, size_t size)
{
    const stack_t own = {.ss_sp = stack, .ss_size = size, .ss_flags = (int)AUTODISARM};
    const struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};

    return sigaltstack(&own, NULL) | sigaction(SIGUSR1, &act, NULL) | raise(SIGUSR1);
}

int main(int argc, char **argv)
{
    size_t size = 24 * 1024 < PTHREAD_STACK_MIN ? (size_t)PTHREAD_STACK_MIN : 24 * 1024;
    unsigned char *block = aligned_alloc(PAGE, BELOW + size);
    size_t written = 0;
    int failed;

    if (argc != 3 || !block)
        return 99;
    memset(block, FILL, BELOW);
    name = argv[2];
    failed = strcmp(argv[1], "coroutine") == 0 ? on_coroutine(block + BELOW, size)
             : strcmp(argv[1], "thread") == 0  ? on_thread(block + BELOW, size)
                                               : on_handler(block + BELOW, size);
    for (size_t i = 0; i < BELOW; i++)
        written += block[i] != FILL;
    printf("%s, %zu\n", failed ? "failed" : handle ? "opened" : "not opened", written);
    return 0;
}
