/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alternate-stack NAME: a handler on a stack of its own opens NAME while an alarm whose handler
 * needs that stack too goes off again and again. Prints "opened" and what became of the handler's
 * frame.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#define SIZE (256 * 1024)

static const char *name;
static volatile int opened, spoiled;

static void on_alarm(int signal)
{
    volatile char frame[4096];

    (void)signal;
    for (size_t i = 0; i < sizeof(frame); i++)
        frame[i] = 1;
}

static void on_user(int signal)
{
    volatile unsigned char frame[2048];

    (void)signal;
    for (size_t i = 0; i < sizeof(frame); i++)
        frame[i] = 0x5a;
    opened = dlopen(name, RTLD_NOW) != NULL;
    for (size_t i = 0; i < sizeof(frame); i++)
        spoiled |= frame[i] != 0x5a;
}

int main(int argc, char **argv)
{
    struct sigaction act = {.sa_handler = on_user, .sa_flags = SA_ONSTACK};
    const struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    stack_t stack = {.ss_sp = malloc(SIZE), .ss_size = SIZE};

    if (argc != 2 || !stack.ss_sp || sigaltstack(&stack, NULL) != 0)
        return 2;
    name = argv[1];
    sigaction(SIGUSR1, &act, NULL);
    act.sa_handler = on_alarm;
    act.sa_flags |= SA_RESTART;
    sigaction(SIGALRM, &act, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    raise(SIGUSR1);
    setitimer(ITIMER_REAL, &never, NULL);
    puts(spoiled ? "spoiled" : opened ? "opened" : "not opened");
    return 0;
}
