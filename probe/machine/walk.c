/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "base/text.h"

/* Limit for links, the same as the kernel's. */
#define MAX_LINKS 40

/* Limit for the names that are opened for one path. A path of PATH_MAX bytes has at most half as
 * many, but links that lead down and up again could require millions. */
#define MAX_NAMES 4096

/* A path that is being walked. `left`: holds the part that remains, from `next` on. `out`: the path
 * so far, which exists, is never shorter than the root, and contains no links; only its end may be
 * one, if `last` is false. */
struct walk {
    char *out, *inside; /* `inside`: the part of `out` after the root */
    const char *next;   /* points into `left` */
    unsigned links, names;
    int top, at; /* descriptors of the root, and of the path walked so far */
    bool last;   /* a link at the end of the path is followed too */
    char left[PATH_MAX];
};

/* Makes `fd` the descriptor of the path walked so far. Closes the previous one if it is not the
 * root's. Returns 0; if `fd` is negative, -errno. */
static int stand_at(struct walk *walk, int fd)
{
    if (fd < 0)
        return -errno;
    if (walk->at != walk->top)
        close(walk->at);
    walk->at = fd;
    return 0;
}

static void drop_last(struct walk *walk)
{
    char *slash = strrchr(walk->inside, '/');

    if (slash)
        *slash = 0;
}

/* Puts `text` before the part that remains. If `text` is absolute or empty, the walk starts again
 * at the root. 0 or -errno. */
static int put_before(struct walk *walk, const char *text)
{
    size_t length = strlen(text), rest = strlen(walk->next) + 1;

    if (length + rest > sizeof walk->left)
        return -ENAMETOOLONG;
    memmove(walk->left + length, walk->next, rest);
    memcpy(walk->left, text, length);
    walk->next = walk->left;
    if (text[0] != '/' && length)
        return 0;
    walk->inside[0] = 0;
    return stand_at(walk, walk->top);
}

static int follow(struct walk *walk, int link)
{
    char text[PATH_MAX];
    ssize_t n = readlinkat(link, "", text, sizeof text);

    if (n <= 0)
        return n < 0 ? -errno : -ENOENT;
    if (++walk->links > MAX_LINKS)
        return -ELOOP;
    if ((size_t)n == sizeof text)
        return -ENAMETOOLONG;
    text[n] = 0;
    drop_last(walk);
    return put_before(walk, text);
}

/* Opens `name` below the path walked so far, or follows it if it is a link. Opens it relative to
 * the descriptor, so that the kernel itself follows no link on the way. 0 or -errno. */
static int step_into(struct walk *walk, const char *name, size_t length)
{
    size_t used = strlen(walk->out);
    struct stat st;
    int fd, error;

    if (used + 1 + length >= PATH_MAX)
        return -ENAMETOOLONG;
    if (++walk->names > MAX_NAMES)
        return -ELOOP;
    walk->out[used] = '/';
    cua_copy_n(walk->out + used + 1, PATH_MAX - used - 1, name, length);
    fd = openat(walk->at, walk->out + used + 1, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || cua_fstat(fd, &st) != 0)
        error = -errno;
    else if (S_ISLNK(st.st_mode) && (*walk->next || walk->last))
        error = follow(walk, fd);
    else if (*walk->next && !S_ISDIR(st.st_mode))
        error = -ENOTDIR;
    else
        return stand_at(walk, fd);
    if (fd >= 0)
        close(fd);
    return error;
}

static bool take_up(struct walk *walk)
{
    const char *name = walk->next + strspn(walk->next, "/");

    if (name[0] != '.' || name[1] != '.' || strcspn(name, "/") != 2)
        return false;
    walk->next = name + 2;
    drop_last(walk);
    return true;
}

static int step(struct walk *walk)
{
    const char *name;
    size_t length;

    if (take_up(walk)) {
        while (take_up(walk))
            continue;
        /* Do not open "..": if somebody moves the folder meanwhile, ".." may lead outside the root.
         * Walk from the root down to the folder above instead. */
        return put_before(walk, walk->inside);
    }
    name = walk->next + strspn(walk->next, "/");
    length = strcspn(name, "/");
    walk->next = name + length;
    if (length == 0 || (length == 1 && name[0] == '.'))
        return 0;
    return step_into(walk, name, length);
}

int cua_walk(const char *sysroot, const char *path, bool last, char *out)
{
    struct walk walk;
    int error;

    sysroot = sysroot ? sysroot : "";
    out[0] = 0;
    if (path[0] != '/')
        return -ENOENT;
    if (!cua_copy(walk.left, sizeof walk.left, path) || !cua_copy(out, PATH_MAX, sysroot))
        return -ENAMETOOLONG;
    walk.out = out;
    walk.inside = out + strlen(out);
    walk.next = walk.left;
    walk.links = walk.names = 0;
    walk.last = last;
    walk.top = walk.at = open(sysroot[0] ? sysroot : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    error = walk.top < 0 ? -errno : 0;
    while (!error && walk.next[0])
        error = step(&walk);
    if (walk.at != walk.top)
        close(walk.top);
    if (error && walk.at >= 0)
        close(walk.at);
    if (error || !out[0])
        strcpy(out, error ? "" : "/");
    return error ? error : walk.at;
}
