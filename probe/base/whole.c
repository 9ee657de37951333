/* SPDX-License-Identifier: Apache-2.0 */
/* A small file as a whole. */
#include "base/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* 0, or -1 with errno set. */
static int read_all(int fd, char **text, size_t most, size_t *used)
{
    size_t room = 0;
    ssize_t n = 1;
    char *more;

    for (*used = 0; n; *used += n > 0 ? (size_t)n : 0) {
        if (*used > most) {
            errno = EFBIG;
            return -1;
        }
        if (room - *used < 2) {
            room = room ? 2 * room : 4096;
            more = realloc(*text, room);
            if (!more)
                return -1;
            *text = more;
        }
        n = read(fd, *text + *used, room - *used - 1);
        if (n < 0 && errno != EINTR)
            return -1;
    }
    (*text)[*used] = 0;
    return 0;
}

char *cua_whole(int fd, size_t most, size_t *size)
{
    char *text = NULL;
    size_t used;
    int error = fd < 0 ? -fd : 0;

    if (!error) {
        error = read_all(fd, &text, most, &used) ? errno : 0;
        close(fd);
    }
    if (error) {
        free(text);
        errno = error;
        return NULL;
    }
    if (size)
        *size = used;
    return text;
}

char *cua_whole_file(const char *path, size_t most, size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    return cua_whole(fd < 0 ? -errno : fd, most, size);
}
