/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/subject.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "base/text.h"

/* As many as the kernel follows. */
#define MAX_LINKS 40

const struct cua_subject cua_here = {.sysroot = ""};

const char *cua_subject_env(const struct cua_subject *subject, const char *name)
{
    return cua_env_value(subject->env ? subject->env : environ, name);
}

/* A walk over a path, component by component. `left` is what is still to be walked; `out` what has
 * been walked: an existing path without links, never shorter than the root. */
struct walk {
    struct cua_walked *walked;
    const char *left; /* the caller's path, or in text */
    char *out;
    size_t root;
    size_t length;
    unsigned links;
    bool folder;             /* what was walked is one */
    bool missing;            /* there is nothing at the last step */
    char text[PATH_MAX + 1]; /* one more: a link's text that fills it is too long */
};

static void drop_last(struct walk *walk)
{
    while (walk->length > walk->root && walk->out[--walk->length] != '/')
        ;
    walk->out[walk->length] = 0;
}

/* Puts the link's text before what is left, which is the end of the same buffer or elsewhere. */
static int follow(struct walk *walk, const char *rest)
{
    size_t left = strlen(rest) + 1, room = sizeof walk->text - left;
    ssize_t n;

    if (left > PATH_MAX)
        return -ENAMETOOLONG;
    memmove(walk->text + room, rest, left);
    n = readlink(walk->out, walk->text, room);
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
        return follow(walk, rest);
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
    if (length == 2)
        drop_last(walk);
    walk->left = name + length;
    return 0;
}

/* A relative path is one below this process's working directory, which is no other's. */
static int start(struct walk *walk, const struct cua_subject *subject, const char *path)
{
    const char *sysroot = subject->sysroot ? subject->sysroot : "";

    walk->left = path;
    if (path[0] == '/')
        return cua_copy(walk->out, PATH_MAX, sysroot) ? 0 : -ENAMETOOLONG;
    if (path[0] == 0 || sysroot[0] || subject->pid)
        return -ENOENT;
    walk->left = walk->text;
    walk->out[0] = 0;
    if (!getcwd(walk->text, sizeof walk->text))
        return -errno;
    return cua_join(walk->text, sizeof walk->text, walk->text, path) ? 0 : -ENAMETOOLONG;
}

int cua_subject_resolve(const struct cua_subject *subject, const char *path, char *out)
{
    struct walk walk;
    int error;

    walk.walked = subject->walked;
    walk.out = out;
    walk.links = 0;
    walk.folder = walk.missing = false;
    error = start(&walk, subject, path);
    if (error) {
        out[0] = 0;
        return error;
    }
    walk.root = walk.length = strlen(out);
    while (!error && walk.left[0])
        error = step(&walk);
    if (!error || error == -ENOENT)
        remember(&walk);
    if (error) {
        out[0] = 0;
        return error;
    }
    return out[0] || cua_copy(out, PATH_MAX, "/") ? 0 : -ENAMETOOLONG;
}

const char *cua_subject_inside(const struct cua_subject *subject, const char *real)
{
    const char *sysroot = subject->sysroot ? subject->sysroot : "";

    if (!sysroot[0] || !cua_below(real, sysroot))
        return real;
    real += strlen(sysroot);
    return real[0] ? real : "/";
}

static int open_regular(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    if (fd < 0)
        return -errno;
    if (cua_fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        return fd;
    close(fd);
    return -EINVAL;
}

int cua_subject_open(const struct cua_subject *subject, const char *path)
{
    char real[PATH_MAX];
    int error;

    if (!subject->sysroot || !subject->sysroot[0])
        return open_regular(path);
    error = cua_subject_resolve(subject, path, real);
    return error ? error : open_regular(real);
}

ssize_t cua_subject_read(const struct cua_subject *subject, const char *path, char *buf,
                         size_t size)
{
    int fd = cua_subject_open(subject, path);
    size_t used = 0;
    ssize_t n = 0;

    buf[0] = 0;
    if (fd < 0)
        return fd;
    while (used < size - 1) {
        n = read(fd, buf + used, size - 1 - used);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        used += (size_t)n;
    }
    if (n < 0)
        n = -errno;
    close(fd);
    buf[used] = 0;
    for (char *nul = buf; (nul = memchr(nul, 0, used - (size_t)(nul - buf)));)
        *nul = '\n';
    return n < 0 && used == 0 ? n : (ssize_t)used;
}

int cua_subject_stat(const struct cua_subject *subject, const char *path, struct stat *st)
{
    char real[PATH_MAX];
    int error;

    if (!subject->sysroot || !subject->sysroot[0])
        return cua_stat(path, st) ? -errno : 0;
    error = cua_subject_resolve(subject, path, real);
    if (error)
        return error;
    return cua_lstat(real, st) ? -errno : 0;
}
