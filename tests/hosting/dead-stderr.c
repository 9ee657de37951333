/* SPDX-License-Identifier: Apache-2.0 */
/* Opens libcuda with a standard error that nobody reads: "closed", or "full" with one that is never
 * emptied. */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void fill(int fd)
{
    static const char zeros[4096];
    int flags = fcntl(fd, F_GETFL);

    fcntl(fd, F_SETFL, flags | O_NONBLOCK);
    while (write(fd, zeros, sizeof(zeros)) > 0)
        ;
    while (write(fd, zeros, 1) > 0)
        ;
    fcntl(fd, F_SETFL, flags);
}

int main(int argc, char **argv)
{
    sigset_t pending;
    int ends[2];

    if (argc != 2 || pipe(ends) != 0)
        return 99;
    if (strcmp(argv[1], "closed") == 0)
        close(ends[0]);
    else
        fill(ends[1]);
    dup2(ends[1], STDERR_FILENO);
    printf("%s, ", dlopen("libcuda.so.1", RTLD_NOW) ? "opened" : "not opened");
    sigpending(&pending);
    printf("%s\n", sigismember(&pending, SIGPIPE) ? "SIGPIPE is left" : "alive");
    return 0;
}
