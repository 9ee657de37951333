/* SPDX-License-Identifier: Apache-2.0 */
#include "base/listing.h"

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* An entry, as getdents64(2) returns it. */
struct entry {
    uint64_t inode;
    int64_t next;
    uint16_t length;
    uint8_t type;
    char name[];
};

int cua_list(int fd, int (*fn)(void *data, const char *name, unsigned char type), void *data)
{
    union {
        char bytes[4096];
        struct entry first;
    } buf;
    int ended = 0;
    long size = 0;

    if (fd < 0)
        return fd;
    while (!ended && (size = syscall(SYS_getdents64, fd, &buf, sizeof(buf))) > 0) {
        for (long at = 0; at < size && !ended;) {
            const struct entry *entry = (const struct entry *)(const void *)(buf.bytes + at);
            at += entry->length;
            ended = fn(data, entry->name, entry->type);
        }
    }
    if (size < 0)
        ended = -errno;
    close(fd);
    return ended;
}
