/* SPDX-License-Identifier: Apache-2.0 */
/* A child of vfork opens something in its parent's memory; then the usual exec. */
#include <sys/wait.h>
#include <unistd.h>

#include "behaviour.h"

int main(int argc, char **argv)
{
    char *leaf = in_folder(argv, "libleaf.so");
    int status = 1;

    (void)argc;
    printf("before\n");
    fflush(stdout);
    if (!vfork())
        _exit(dlopen(leaf, RTLD_NOW) ? 3 : 4);
    wait(&status);
    printf("first child: %x\n", status);
    fflush(stdout);
    if (!vfork()) {
        execl("/bin/echo", "echo", "executed", (char *)NULL);
        _exit(5);
    }
    wait(&status);
    printf("second child: %x\n", status);
    open_and_tell(leaf, RTLD_NOW | RTLD_NOLOAD);
    open_and_tell("libnone.so.7", RTLD_NOW);
    return 0;
}
