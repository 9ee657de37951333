/* SPDX-License-Identifier: Apache-2.0 */
/* The subject of another process, from its /proc/PID. */
#include "machine/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "machine/subject.h"

/* The kernel's own limit on arguments and environment together is 6 MiB with default stacks. */
#define MAX_ENVIRON (8u << 20)

/* Reads /proc/PID/environ whole, which has no size before it is read. */
static int read_environ(pid_t pid, char **text, size_t *size)
{
    char path[64], *buf = NULL, *more;
    size_t used = 0, room = 0;
    ssize_t n = 0;
    int fd;

    snprintf(path, sizeof path, "/proc/%ld/environ", (long)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? -ESRCH : -errno;
    do {
        if (room - used < 4096 && room < MAX_ENVIRON) {
            more = realloc(buf, room += 16384);
            if (!more) {
                n = -1;
                errno = ENOMEM;
                break;
            }
            buf = more;
        }
        n = read(fd, buf + used, room - used - 1);
        if (n > 0)
            used += (size_t)n;
    } while (n > 0 || (n < 0 && errno == EINTR));
    n = n < 0 ? -errno : 0;
    close(fd);
    if (n) {
        free(buf);
        return (int)n;
    }
    buf[used] = 0;
    *text = buf;
    *size = used;
    return 0;
}

static bool same_link(const char *a, const char *b)
{
    char x[PATH_MAX], y[PATH_MAX];
    ssize_t n = readlink(a, x, sizeof x), m = readlink(b, y, sizeof y);

    return n > 0 && n == m && memcmp(x, y, (size_t)n) == 0;
}

/* "" where the process sees the very files that this one sees. */
static void find_root(pid_t pid, char *out, size_t size)
{
    char root[64], mounts[64];

    snprintf(root, sizeof root, "/proc/%ld/root", (long)pid);
    snprintf(mounts, sizeof mounts, "/proc/%ld/ns/mnt", (long)pid);
    if (same_link(root, "/proc/self/root") && same_link(mounts, "/proc/self/ns/mnt"))
        out[0] = 0;
    else
        cua_copy(out, size, root);
}

/* One block: the pointers, the root's path, the environment's text. */
static char *pack(const char *text, size_t size, const char *root)
{
    size_t count = 0, at = 0;
    char **env, *names, *block;

    for (size_t i = 0; i < size; i++)
        count += text[i] == 0;
    count += size && text[size - 1] != 0;
    block = malloc((count + 1) * sizeof *env + PATH_MAX + size + 1);
    if (!block)
        return NULL;
    env = (char **)(void *)block;
    cua_copy(block + (count + 1) * sizeof *env, PATH_MAX, root);
    names = block + (count + 1) * sizeof *env + PATH_MAX;
    memcpy(names, text, size + 1);
    for (size_t i = 0; i < count; i++) {
        env[i] = names + at;
        at += strlen(names + at) + 1;
    }
    env[count] = NULL;
    return block;
}

int cua_subject_of_process(struct cua_subject *subject, pid_t pid)
{
    char root[PATH_MAX], *text = NULL;
    size_t size = 0, count = 0;
    int error = read_environ(pid, &text, &size);

    if (error)
        return error;
    find_root(pid, root, sizeof root);
    subject->owned = pack(text, size, root);
    free(text);
    if (!subject->owned)
        return -ENOMEM;
    subject->pid = pid;
    subject->env = (char *const *)(void *)subject->owned;
    subject->library_path = cua_subject_env(subject, "LD_LIBRARY_PATH");
    while (subject->env[count])
        count++;
    subject->sysroot = subject->owned + (count + 1) * sizeof *subject->env;
    return 0;
}

void cua_subject_release(struct cua_subject *subject)
{
    free(subject->owned);
    subject->owned = NULL;
    subject->env = NULL;
    subject->library_path = NULL;
    subject->sysroot = "";
}
