/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are no libraries: the refusal is ld.so's, in ld.so's words. A file cut behind its
 * headers ends ld.so by SIGBUS, so each is opened in a process of its own. */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "behaviour.h"

static char folder[] = "/tmp/cuarbiter-bad.XXXXXX";

static void make(const char *name, const char *content, size_t size, mode_t mode)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    if (fd < 0 || write(fd, content, size) != (ssize_t)size || fchmod(fd, mode))
        exit(99);
    close(fd);
}

static void open_bad(const char *name)
{
    const char *message;
    void *handle;
    char path[256];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    errno = 0;
    handle = dlopen(path, RTLD_NOW);
    message = dlerror();
    /* Behind the folder, whose name differs from run to run. */
    message = message && strstr(message, folder) == message ? message + sizeof(folder) : message;
    printf("%s: %s, errno %d, %s\n", name, handle ? "opened" : "failed", errno, message);
}

static void try(const char *name)
{
    int status = 0;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        open_bad(name);
        fflush(stdout);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        exit(99);
    if (status)
        printf("%s: wait status %#x\n", name, (unsigned int)status);
}

/* Cut off at every byte of the headers; a few at each tenth byte behind them. */
static void cut(const char *whole)
{
    static char bytes[1 << 20];
    size_t size, at;
    FILE *file = fopen(whole, "r");

    if (!file)
        exit(99);
    size = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    for (at = 1; at < size && at < 1024; at += at < 64 + 56 * 4 ? 1 : 10) {
        make("cut", bytes, at, 0600);
        try("cut");
    }
    bytes[4] = 1;
    make("class", bytes, size, 0600);
    bytes[4] = 2;
    bytes[18] ^= 0x55;
    make("machine", bytes, size, 0600);
    bytes[18] ^= 0x55;
    bytes[56] = bytes[57] = (char)0xff;
    make("headers", bytes, size, 0600);
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"none",    "empty",    "text",      "folder",
                                        "loop",    "dangling", "class",     "machine",
                                        "headers", "fifo/x",   "unreadable"};
    size_t i;

    (void)argc;
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (!mkdtemp(folder) || chdir(folder))
        return 99;
    make("empty", "", 0, 0600);
    make("text", "GROUP ( libc.so.6 )\n", 20, 0600);
    make("unreadable", "", 0, 0);
    if (mkdir("folder", 0700) || symlink("loop", "loop") || symlink("none", "dangling") ||
        mkfifo("fifo", 0600))
        return 99;
    cut(in_folder(argv, "libleaf.so"));
    for (i = 0; i < sizeof(names) / sizeof(*names); i++)
        try(names[i]);
    for (i = 0; i < sizeof(names) / sizeof(*names); i++)
        unlink(names[i]);
    unlink("cut");
    unlink("fifo");
    rmdir("folder");
    return chdir("/") || rmdir(folder) ? 99 : 0;
}
