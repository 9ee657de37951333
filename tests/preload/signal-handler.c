/* SPDX-License-Identifier: Apache-2.0 */
/* dlopen in a SIGSEGV handler, on a stack of its own, as backtrace() does it. */
#include <setjmp.h>
#include <signal.h>

#include "behaviour.h"

static sigjmp_buf back;
static char *leaf;

static void handler(int number)
{
    void *handle = dlopen(leaf, RTLD_NOW);

    siglongjmp(back, number + (handle ? 100 : 0));
}

int main(int argc, char **argv)
{
    static char memory[32768];
    stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    int number;

    (void)argc;
    leaf = in_folder(argv, "libleaf.so");
    sigaltstack(&stack, NULL);
    sigaction(SIGSEGV, &action, NULL);
    number = sigsetjmp(back, 1);
    printf("handler: %d\n", number);
    if (!number)
        raise(SIGSEGV);
    open_and_tell(leaf, RTLD_NOW);
    return 0;
}
