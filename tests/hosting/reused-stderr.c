/* SPDX-License-Identifier: Apache-2.0 */
/* Opens libcuda where descriptor 2 is something of the program's own, and says what came into it:
 * "database", "kept" (a file for this process alone), "counter" or "peer". Or where it is a
 * standard error, of a kind that none of the other tests has: "socket" or "terminal". */
#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pty.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Both return the end to look at; descriptor 2 is the other. */
static int open_peer(void)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof(here);
    int door = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);

    if (bind(door, (struct sockaddr *)&here, size) || listen(door, 1) ||
        getsockname(door, (struct sockaddr *)&here, &size) ||
        connect(client, (struct sockaddr *)&here, size))
        return -1;
    close(STDERR_FILENO);
    return accept(door, NULL, NULL) == STDERR_FILENO ? client : -1;
}

static int open_terminal(void)
{
    int master, slave;

    if (openpty(&master, &slave, NULL, NULL, NULL) != 0)
        return -1;
    return dup2(slave, STDERR_FILENO) == STDERR_FILENO ? master : -1;
}

static int open_other(const char *what)
{
    FILE *file = tmpfile();
    char path[64];
    int ends[2];

    if (!file)
        return -1;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(file));
    close(STDERR_FILENO);
    if (strcmp(what, "database") == 0)
        return open(path, O_RDWR) == STDERR_FILENO ? STDERR_FILENO : -1;
    if (strcmp(what, "kept") == 0)
        return open(path, O_WRONLY | O_CLOEXEC) == STDERR_FILENO ? STDERR_FILENO : -1;
    if (strcmp(what, "counter") == 0)
        return eventfd(0, EFD_NONBLOCK) == STDERR_FILENO ? STDERR_FILENO : -1;
    if (strcmp(what, "socket") == 0)
        return socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 && ends[0] == STDERR_FILENO ? ends[1]
                                                                                          : -1;
    return -1;
}

static int came(int fd)
{
    struct pollfd line = {.fd = fd, .events = POLLIN};
    struct stat st;
    long long number;

    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        return st.st_size > 0;
    if (fd == STDERR_FILENO)
        return read(fd, &number, sizeof(number)) > 0;
    /* A terminal hands it on in its own time. */
    return poll(&line, 1, isatty(fd) ? 10000 : 100) == 1;
}

int main(int argc, char **argv)
{
    int fd = argc != 2                          ? -1
             : strcmp(argv[1], "peer") == 0     ? open_peer()
             : strcmp(argv[1], "terminal") == 0 ? open_terminal()
                                                : open_other(argv[1]);

    if (fd < 0)
        return 99;
    printf("%s, ", dlopen("libcuda.so.1", RTLD_NOW) ? "opened" : "not opened");
    printf("%s\n", came(fd) ? "a line" : "nothing");
    return 0;
}
