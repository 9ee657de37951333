/* SPDX-License-Identifier: Apache-2.0 */
#include "base/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *cua_whole(int fd, size_t most, size_t *size)
{
    size_t room = 0, used = 0;
    char *text = NULL;
    ssize_t n = 1;
    int error = fd < 0 ? -fd : 0;

    while (!error && n) {
        if (room - used < 2) {
            room = room ? 2 * room : 4096;
            char *more = realloc(text, room);
            if (!more) {
                error = ENOMEM;
                break;
            }
            text = more;
        }
        n = read(fd, text + used, room - used - 1);
        if (n < 0 && errno != EINTR)
            error = errno;
        used += n > 0 ? (size_t)n : 0;
        if (used > most)
            error = EFBIG;
    }
    if (fd >= 0)
        close(fd);
    if (error) {
        free(text);
        errno = error;
        return NULL;
    }
    text[used] = 0;
    if (size)
        *size = used;
    return text;
}

char *cua_whole_text(int fd, size_t most)
{
    size_t size;
    char *text = cua_whole(fd, most, &size);

    if (!text || strlen(text) == size)
        return text;
    free(text);
    errno = EINVAL;
    return NULL;
}

char *cua_whole_file(const char *path, size_t most, size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    return cua_whole(fd < 0 ? -errno : fd, most, size);
}
