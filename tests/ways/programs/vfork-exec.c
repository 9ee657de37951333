/* SPDX-License-Identifier: Apache-2.0 */
/* vfork-exec PROGRAM ARGS...: a child of vfork executes it. */
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int status = 0;
    pid_t child;

    if (argc < 2)
        return 2;
    child = vfork();
    if (!child) {
        execv(argv[1], argv + 1);
        _exit(127);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}
