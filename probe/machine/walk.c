/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "base/text.h"

/* As many as the kernel follows. */
#define MAX_LINKS 40
#define STEP      (O_PATH | O_NOFOLLOW | O_CLOEXEC)

/* A walk over a path, name by name. `left` is what is still to be walked; `out` what has
 * been walked: an existing path without links, never shorter than the root. */
struct walk {
    const char *left; /* the caller's path, or in text */
    char *out;
    size_t root;
    size_t length;
    unsigned links;
    int top, at;             /* descriptors of the root and of what was walked; -1: none */
    bool last;               /* a link at the end is followed */
    char text[PATH_MAX + 1]; /* one more: a link's text that fills it is too long */
};

static void drop_last(struct walk *walk)
{
    while (walk->length > walk->root && walk->out[--walk->length] != '/')
        ;
    walk->out[walk->length] = 0;
}

/* The descriptor of what was walked is this one from now on. */
static int stand_at(struct walk *walk, int fd)
{
    if (fd < 0)
        return -errno;
    if (walk->at >= 0)
        close(walk->at);
    walk->at = fd;
    return 0;
}

/* Down again from the root, whose links are none any more: ".." of a folder that somebody moves
 * meanwhile may be outside. */
static int go_up(struct walk *walk)
{
    char name[NAME_MAX + 1];
    int error = 0;

    drop_last(walk);
    error = stand_at(walk, fcntl(walk->top, F_DUPFD_CLOEXEC, 0));
    for (const char *at = walk->out + walk->root; !error && *at;) {
        size_t length = strcspn(++at, "/");
        if (!cua_copy_n(name, sizeof name, at, length))
            return -ENAMETOOLONG;
        error = stand_at(walk, openat(walk->at, name, STEP | O_DIRECTORY));
        at += length;
    }
    return error;
}

/* Puts the link's text before what is left, which is the end of the same buffer or elsewhere. */
static int follow(struct walk *walk, int link, const char *rest)
{
    size_t left = strlen(rest) + 1, room = sizeof walk->text - left;
    ssize_t n;

    if (left > PATH_MAX)
        return -ENAMETOOLONG;
    memmove(walk->text + room, rest, left);
    n = readlinkat(link, "", walk->text, room);
    if (n <= 0)
        return n < 0 ? -errno : -ENOENT;
    if (++walk->links > MAX_LINKS)
        return -ELOOP;
    if ((size_t)n == room)
        return -ENAMETOOLONG;
    memmove(walk->text + n, walk->text + room, left);
    if (walk->text[0] == '/') {
        walk->length = walk->root;
        walk->out[walk->length] = 0;
    } else {
        drop_last(walk);
    }
    walk->left = walk->text;
    if (walk->text[0] == '/')
        return stand_at(walk, fcntl(walk->top, F_DUPFD_CLOEXEC, 0));
    return 0;
}

/* One more name, by descriptor: nothing that the kernel would follow lies between. */
static int step_into(struct walk *walk, const char *name, size_t length)
{
    const char *rest = name + length;
    struct stat st;
    int fd, error;

    if (walk->length + 1 + length >= PATH_MAX)
        return -ENAMETOOLONG;
    walk->out[walk->length] = '/';
    memcpy(walk->out + walk->length + 1, name, length);
    walk->length += 1 + length;
    walk->out[walk->length] = 0;
    walk->left = rest;
    fd = openat(walk->at, walk->out + walk->length - length, STEP);
    if (fd < 0 || cua_fstat(fd, &st) != 0) {
        error = -errno;
    } else if (S_ISLNK(st.st_mode) && (*rest || walk->last)) {
        error = follow(walk, fd, rest);
    } else {
        error = *rest && !S_ISDIR(st.st_mode) ? -ENOTDIR : stand_at(walk, fd);
        fd = error ? fd : -1;
    }
    if (fd >= 0)
        close(fd);
    return error;
}

static int step(struct walk *walk)
{
    const char *name = walk->left + strspn(walk->left, "/");
    size_t length = strcspn(name, "/");

    if (length != 0 && !(length == 1 && name[0] == '.') &&
        !(length == 2 && name[0] == '.' && name[1] == '.'))
        return step_into(walk, name, length);
    walk->left = name + length;
    return length == 2 ? go_up(walk) : 0;
}

static int go(struct walk *walk)
{
    int error = 0;

    walk->links = 0;
    walk->root = walk->length = strlen(walk->out);
    while (!error && walk->left[0])
        error = step(walk);
    if (!error && !walk->out[0])
        error = cua_copy(walk->out, PATH_MAX, "/") ? 0 : -ENAMETOOLONG;
    return error;
}

/* What the kernel calls an open file; false where it does not tell, or calls it by a name that
 * leads elsewhere, as in another process's /proc/PID/root. */
static bool find_name(const char *path, int fd, const struct stat *there, char *out)
{
    struct stat named;
    char link[32];
    ssize_t n;

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    n = readlink(link, out, PATH_MAX - 1);
    out[n > 0 ? n : 0] = 0;
    /* The name that it was opened by leads there. */
    if (n > 0 && strcmp(out, path) == 0)
        return true;
    return n > 0 && cua_stat(out, &named) == 0 && there->st_dev == named.st_dev &&
           there->st_ino == named.st_ino;
}

int cua_walk_own(const char *path, char *out, struct stat *st)
{
    int fd = open(path, O_PATH | O_CLOEXEC), error = 0;

    out[0] = 0;
    if (fd < 0 || cua_fstat(fd, st) != 0)
        error = -errno;
    /* Where a sandbox refuses to read links, the kernel follows them in what is opened. */
    if (!error && !find_name(path, fd, st, out) && !cua_copy(out, PATH_MAX, path))
        error = -ENAMETOOLONG;
    if (fd >= 0)
        close(fd);
    return error;
}

int cua_walk_rooted(const char *sysroot, const char *path, bool last, char *out)
{
    struct walk walk;
    int error;

    out[0] = 0;
    if (path[0] != '/')
        return -ENOENT;
    if (!cua_copy(out, PATH_MAX, sysroot))
        return -ENAMETOOLONG;
    walk.out = out;
    walk.left = path;
    walk.last = last;
    walk.at = -1;
    walk.top = open(sysroot[0] ? sysroot : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    error = walk.top < 0 ? -errno : stand_at(&walk, fcntl(walk.top, F_DUPFD_CLOEXEC, 0));
    if (!error)
        error = go(&walk);
    if (walk.top >= 0)
        close(walk.top);
    if (!error)
        return walk.at;
    if (walk.at >= 0)
        close(walk.at);
    out[0] = 0;
    return error;
}
