/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/asker.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

#define MOST_LINKS 8

struct cua_asker cua_asker = {.exe = "", .started = "", .glibc = ""};

/* Returns the part of `path` after `head`; NULL if `path` does not begin with `head`. For a slash
 * in `head`, `path` may have several. */
static const char *behind(const char *path, const char *head)
{
    for (; *head; head++, path++) {
        if (*path != *head)
            return NULL;
        while (*head == '/' && path[1] == '/')
            path++;
    }
    return path;
}

/* If `path` lies below /proc/self or /proc/thread-self, returns the part after that; else NULL.
 * /dev/fd counts as /proc/self/fd, to which it is a link. That link must not be followed here,
 * because it would lead to this process's own descriptors. */
static const char *below_self(const char *path)
{
    const char *rest = behind(path, "/dev/");

    if (rest && cua_starts(rest, "fd/"))
        return rest;
    rest = behind(path, "/proc/self/");
    return rest ? rest : behind(path, "/proc/thread-self/");
}

char *cua_asker_path(const char *path)
{
    char link[PATH_MAX], next[PATH_MAX], *out = NULL;
    const char *rest = NULL;
    ssize_t n;

    if (!cua_asker.pid || !cua_copy(link, sizeof(link), path))
        return strdup(path);
    for (int links = 0; !(rest = below_self(link)) && links < MOST_LINKS; links++) {
        n = readlink(link, next, sizeof(next) - 1);
        if (n <= 0 || next[0] != '/')
            return strdup(path);
        memcpy(link, next, (size_t)n);
        link[n] = 0;
    }
    if (!rest)
        return strdup(path);
    if (strcmp(rest, "fd/2") == 0 || asprintf(&out, "/proc/%d/%s", (int)cua_asker.pid, rest) < 0)
        return NULL;
    return out;
}
