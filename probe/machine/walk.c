/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "base/text.h"
#include "machine/subject.h"

/* As many as the kernel follows. */
#define MAX_LINKS 40
#define STEP      (O_PATH | O_NOFOLLOW | O_CLOEXEC)

/* A walk over a path, component by component. `left` is what is still to be walked; `out` what has
 * been walked: an existing path without links, never shorter than the root. */
struct walk {
    struct cua_walked *walked;
    const char *left; /* the caller's path, or in text */
    char *out;
    size_t root;
    size_t length;
    unsigned links;
    int top, at;  /* descriptors of the root and of what was walked; -1 in this process's own */
    bool last;    /* a link at the end is followed */
    bool folder;  /* what was walked is one */
    bool missing; /* there is nothing at the last step */
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
    if (walk->top < 0)
        return 0;
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
    n = link < 0 ? readlink(walk->out, walk->text, room) : readlinkat(link, "", walk->text, room);
    /* Where a sandbox refuses to read links, the kernel follows them in what is opened. */
    if (n < 0 && link < 0 && (errno == EPERM || errno == ENOSYS))
        return 0;
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
    if (link >= 0 && walk->text[0] == '/')
        return stand_at(walk, fcntl(walk->top, F_DUPFD_CLOEXEC, 0));
    return 0;
}

/* Links like /proc/PID/root say "/" and lead into another file system. Apart, because few walks
 * need the stack for it. */
static __attribute__((noinline)) bool is_magic(const char *link)
{
    char target[PATH_MAX];
    struct stat there, said;
    ssize_t n;

    if (!cua_starts(link, "/proc/"))
        return false;
    n = readlink(link, target, sizeof target - 1);
    if (n <= 0 || target[0] != '/' || cua_stat(link, &there) != 0)
        return false;
    target[n] = 0;
    return cua_stat(target, &said) != 0 || there.st_dev != said.st_dev ||
           there.st_ino != said.st_ino;
}

/* 1: a folder and no link, -ENOENT: there is nothing, 0: nobody looked yet. */
static int look_up(const struct cua_walked *walked, const char *path, size_t length)
{
    for (unsigned i = 0; walked && i < walked->count; i++) {
        const char *other = walked->entry[i].path;
        size_t end = walked->entry[i].length, common = length < end ? length : end;
        if ((common < end && other[common] != '/') || (common < length && path[common] != '/') ||
            memcmp(path, other, common) != 0)
            continue;
        if (length < end)
            return 1;
        if (walked->entry[i].missing)
            return -ENOENT;
        if (length == end)
            return 1;
    }
    return 0;
}

/* What was walked if it is a folder or not there, else the folder that it lies in. */
static void remember(const struct walk *walk)
{
    struct cua_walked *walked = walk->walked;
    size_t length = walk->length;
    unsigned at;

    if (!walked)
        return;
    while (!walk->folder && !walk->missing && length && walk->out[--length] != '/')
        ;
    if (!length || length >= sizeof walked->entry->path || look_up(walked, walk->out, length))
        return;
    at = walked->next++ % CUA_WALKED;
    if (walked->count < CUA_WALKED)
        walked->count++;
    walked->entry[at].length = (unsigned short)length;
    walked->entry[at].missing = walk->missing;
    memcpy(walked->entry[at].path, walk->out, length);
}

/* One more name, by descriptor: nothing that the kernel would follow lies between. */
static int step_down(struct walk *walk, const char *name, const char *rest)
{
    int fd = openat(walk->at, name, STEP), error;
    struct stat st;

    if (fd < 0 || cua_fstat(fd, &st) != 0) {
        error = -errno;
    } else if (S_ISLNK(st.st_mode) && (*rest || walk->last)) {
        error = follow(walk, fd, rest);
    } else {
        walk->folder = S_ISDIR(st.st_mode);
        error = *rest && !walk->folder ? -ENOTDIR : stand_at(walk, fd);
        fd = error ? fd : -1;
    }
    if (fd >= 0)
        close(fd);
    return error;
}

static int step_into(struct walk *walk, const char *name, size_t length)
{
    const char *rest = name + length;
    struct stat st;
    int known;

    if (walk->length + 1 + length >= PATH_MAX)
        return -ENAMETOOLONG;
    walk->out[walk->length] = '/';
    memcpy(walk->out + walk->length + 1, name, length);
    walk->length += 1 + length;
    walk->out[walk->length] = 0;
    if (walk->top >= 0) {
        walk->left = rest;
        return step_down(walk, walk->out + walk->length - length, rest);
    }
    known = look_up(walk->walked, walk->out, walk->length);
    walk->folder = known > 0;
    walk->left = rest;
    if (known)
        return known < 0 ? known : 0;
    if (cua_lstat(walk->out, &st) != 0) {
        walk->missing = errno == ENOENT;
        return -errno;
    }
    if (S_ISLNK(st.st_mode) && !is_magic(walk->out))
        return follow(walk, -1, rest);
    walk->folder = S_ISDIR(st.st_mode);
    return *rest && !S_ISDIR(st.st_mode) && !S_ISLNK(st.st_mode) ? -ENOTDIR : 0;
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
    walk->folder = walk->missing = false;
    walk->root = walk->length = strlen(walk->out);
    while (!error && walk->left[0])
        error = step(walk);
    if (!error && !walk->out[0])
        error = cua_copy(walk->out, PATH_MAX, "/") ? 0 : -ENAMETOOLONG;
    return error;
}

int cua_walk_own(const char *path, struct cua_walked *walked, char *out)
{
    struct walk walk;
    int error = 0;

    walk.walked = walked;
    walk.out = out;
    walk.top = walk.at = -1;
    walk.left = path;
    out[0] = 0;
    if (path[0] == 0)
        error = -ENOENT;
    if (path[0] != '/' && !error) {
        walk.left = walk.text;
        if (!getcwd(walk.text, sizeof walk.text))
            error = -errno;
        else if (!cua_join(walk.text, sizeof walk.text, walk.text, path))
            error = -ENAMETOOLONG;
    }
    if (!error) {
        error = go(&walk);
        if (!error || error == -ENOENT)
            remember(&walk);
    }
    if (error)
        out[0] = 0;
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
    walk.walked = NULL;
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
