/* SPDX-License-Identifier: Apache-2.0 */
/* The first call is made in a forked child, and again in the parent. */
#include <sys/wait.h>
#include <unistd.h>

#include "behaviour.h"

int main(int argc, char **argv)
{
    char *leaf = in_folder(argv, "libleaf.so");
    int status = 1;

    (void)argc;
    fflush(stdout);
    if (!fork()) {
        open_and_tell(leaf, RTLD_NOW);
        open_and_tell("libcuda-none.so.1", RTLD_NOW);
        fflush(stdout);
        _exit(7);
    }
    wait(&status);
    printf("child: %x\n", status);
    open_and_tell(leaf, RTLD_NOW);
    return 0;
}
