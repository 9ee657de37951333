/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"

#define MAX_TEXT  (4u << 20)
#define FILE_NAME "libcuda.so"

/* Hands over line by line what is read, and closes it; a line that does not fit the buffer is
 * passed over. */
static int each_line(int fd, int (*fn)(void *data, char *line), void *data)
{
    const size_t size = 3 * PATH_MAX;
    size_t used = 0, total = 0;
    char *buf = fd < 0 ? NULL : malloc(size);
    bool skip = false;
    int ended = 0;

    while (buf && !ended && total < MAX_TEXT) {
        ssize_t n = read(fd, buf + used, size - used);
        char *line = buf, *end;
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        used += (size_t)n;
        total += (size_t)n;
        while (!ended && (end = memchr(line, '\n', used - (size_t)(line - buf)))) {
            *end = 0;
            if (!skip)
                ended = fn(data, line);
            skip = false;
            line = end + 1;
        }
        used -= (size_t)(line - buf);
        memmove(buf, line, used);
        if (used == size) {
            skip = true;
            used = 0;
        }
    }
    free(buf);
    if (fd >= 0)
        close(fd);
    return ended;
}

void cua_mounts_unescape(char *path)
{
    char *to = path;

    for (const char *from = path; *from; to++) {
        if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] >= '0' &&
            from[2] <= '7' && from[3] >= '0' && from[3] <= '7') {
            *to = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
            from += 4;
        } else {
            *to = *from++;
        }
    }
    *to = 0;
}

struct mounts {
    int (*fn)(void *data, const char *file, const char *root);
    void *data;
};

/* proc(5): "36 35 98:0 /root /mount/point rw,noatime shared:1 - ext4 /dev/root rw" */
static int read_mount(void *data, char *line)
{
    const struct mounts *mounts = data;
    char *field = line, *root = NULL;

    for (int i = 0; field && i < 4; i++) {
        root = field;
        field = strchr(field, ' ');
        if (field)
            *field++ = 0;
    }
    if (!field)
        return 0;
    field[strcspn(field, " ")] = 0;
    cua_mounts_unescape(field);
    cua_mounts_unescape(root);
    return field[0] == '/' && cua_starts(cua_basename(field), FILE_NAME)
               ? mounts->fn(mounts->data, field, root)
               : 0;
}

int cua_mounts_each(const struct cua_subject *subject,
                    int (*fn)(void *data, const char *file, const char *root), void *data)
{
    struct mounts mounts = {fn, data};
    char path[64] = "/proc/self/mountinfo";

    /* A process's own /proc is not below its root. */
    if (subject->pid)
        snprintf(path, sizeof path, "/proc/%ld/mountinfo", (long)subject->pid);
    return each_line(cua_subject_open(subject->pid ? &cua_here : subject, path), read_mount,
                     &mounts);
}

/* Linux 5.8; the field of statx(2) with it is younger than the headers of some who build this. */
#define ATTRIBUTE_MOUNT_ROOT 0x2000u

int cua_mount_at(const char *path)
{
    struct statx st;

    if (syscall(SYS_statx, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, 0, &st) != 0 ||
        !(st.stx_attributes_mask & ATTRIBUTE_MOUNT_ROOT))
        return -1;
    return !!(st.stx_attributes & ATTRIBUTE_MOUNT_ROOT);
}

struct maps {
    int (*fn)(void *data, const char *file);
    void *data;
};

/* proc(5): "7f00-7f01 r--p 00000000 08:02 135522   /path" */
static int read_map(void *data, char *line)
{
    const struct maps *maps = data;
    const char *file = strchr(line, '/');

    /* "(deleted)" is no part of a name that could be opened. */
    return file && !cua_ends(file, " (deleted)") ? maps->fn(maps->data, file) : 0;
}

int cua_maps_each(pid_t pid, int (*fn)(void *data, const char *file), void *data)
{
    struct maps maps = {fn, data};
    char path[64];

    snprintf(path, sizeof path, "/proc/%ld/maps", (long)pid);
    return each_line(cua_subject_open(&cua_here, path), read_map, &maps);
}
