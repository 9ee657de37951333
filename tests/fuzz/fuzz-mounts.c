/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/self/mountinfo. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/mounts.h"
#include "machine/subject.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static char root[] = "/dev/shm/cuarbiter-fuzz-XXXXXX";

static void remove_root(void)
{
    static const char *const paths[] = {"/proc/self/mountinfo", "/proc/self", "/proc", ""};
    char path[128];

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        snprintf(path, sizeof path, "%s%s", root, paths[i]);
        remove(path);
    }
}

static int check(void *data, const char *file, const char *mounted)
{
    (void)data;
    (void)strlen(mounted);
    if (file[0] != '/')
        abort();
    return 0;
}

static void make_root(char *file, size_t size)
{
    char path[128];

    if (!mkdtemp(root))
        abort();
    snprintf(path, sizeof path, "%s/proc", root);
    mkdir(path, 0755);
    snprintf(path, sizeof path, "%s/proc/self", root);
    mkdir(path, 0755);
    snprintf(file, size, "%s/proc/self/mountinfo", root);
    atexit(remove_root);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const struct cua_subject subject = {.sysroot = root};
    static char file[128];
    int fd;

    if (!file[0])
        make_root(file, sizeof file);
    fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
        abort();
    close(fd);
    cua_mounts_each(&subject, check, NULL);
    return 0;
}
