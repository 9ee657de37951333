/* SPDX-License-Identifier: Apache-2.0 */
/* by-memfd LD_PRELOAD PROGRAM ARGUMENT...: executes a copy of the program that has no name. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

extern char **environ;

int main(int argc, char **argv)
{
    int from = argc > 2 ? open(argv[2], O_RDONLY | O_CLOEXEC) : -1;
    int to = memfd_create("nameless", 0);

    if (from < 0 || to < 0)
        return 99;
    while (sendfile(to, from, NULL, 1 << 20) > 0)
        ;
    setenv("LD_PRELOAD", argv[1], 1);
    fexecve(to, argv + 2, environ);
    return 98;
}
