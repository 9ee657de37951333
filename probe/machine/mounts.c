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

/* Hands over line by line what is read; a line that does not fit the buffer is passed over. */
static int each_line(int fd, int (*fn)(void *data, char *line), void *data)
{
    const size_t size = 3 * PATH_MAX;
    size_t used = 0, total = 0;
    char *buf = malloc(size);
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

struct request {
    int (*fn)(void *data, const char *file, const char *root);
    void *data;
};

static int report(const struct request *request, const char *file, const char *root)
{
    return file[0] == '/' && cua_starts(cua_basename(file), FILE_NAME)
               ? request->fn(request->data, file, root)
               : 0;
}

/* proc(5): "36 35 98:0 /root /mount/point rw,noatime shared:1 - ext4 /dev/root rw" */
static int read_mount(void *data, char *line)
{
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
    return report(data, field, root);
}

int cua_mounts_each(const struct cua_subject *subject,
                    int (*fn)(void *data, const char *file, const char *root), void *data)
{
    struct request request = {fn, data};
    char path[64] = "/proc/self/mountinfo";
    int fd, ended;

    /* A process's own /proc is not below its root. */
    if (subject->pid)
        snprintf(path, sizeof path, "/proc/%ld/mountinfo", (long)subject->pid);
    fd = cua_subject_open(subject->pid ? &cua_here : subject, path);
    if (fd < 0)
        return 0;
    ended = each_line(fd, read_mount, &request);
    close(fd);
    return ended;
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

/* proc(5): "7f00-7f01 r--p 00000000 08:02 135522   /path" */
static int read_map(void *data, char *line)
{
    char *file = strchr(line, '/');

    /* "(deleted)" is no part of a name that could be opened. */
    return file && !cua_ends(file, " (deleted)") ? report(data, file, NULL) : 0;
}

int cua_maps_each(const struct cua_subject *subject,
                  int (*fn)(void *data, const char *file, const char *root), void *data)
{
    struct request request = {fn, data};
    char path[64];
    int fd, ended;

    snprintf(path, sizeof path, "/proc/%ld/maps", (long)subject->pid);
    fd = cua_subject_open(&cua_here, path);
    if (fd < 0)
        return 0;
    ended = each_line(fd, read_map, &request);
    close(fd);
    return ended;
}
