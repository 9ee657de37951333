/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layout, in bytes before they become characters: the file's bytes, the name's 16, two bytes with
 * the length of the file's, `what`, and the mark. It is read from its end.
 */
#include <stdint.h>

#include "syscalls.h"
#include "text.h"
#include "handover.h"

static const unsigned char mark[] = {0xc9, 0x5a, 0x36, 0xe3};

#define FIXED    (CUA_HANDOVER_NAME_MAX + 2 + 1 + sizeof(mark))
#define FILE_MAX 4096

static size_t file_length(const struct cua_handover *handover)
{
    return handover->what & CUA_HANDOVER_FILE ? cua_length(handover->file) : 0;
}

size_t cua_handover_length(const struct cua_handover *handover)
{
    return (file_length(handover) + FIXED) * 8;
}

static char *write_bytes(char *to, const void *from, size_t count)
{
    const unsigned char *byte = from;
    int bit;

    for (; count--; byte++)
        for (bit = 7; bit >= 0; bit--)
            *to++ = *byte >> bit & 1 ? ' ' : ':';
    return to;
}

char *cua_handover_write(char *to, const struct cua_handover *handover)
{
    size_t length = file_length(handover);
    unsigned char size[2] = {(unsigned char)(length >> 8), (unsigned char)length};

    to = write_bytes(to, handover->file, length);
    to = write_bytes(to, handover->name, CUA_HANDOVER_NAME_MAX);
    to = write_bytes(to, size, sizeof(size));
    to = write_bytes(to, &handover->what, 1);
    return write_bytes(to, mark, sizeof(mark));
}

/* The `count` bytes before `end`; false: other characters stand there. */
static bool read_bytes(const char *start, const char **end, void *into, size_t count)
{
    unsigned char *byte = (unsigned char *)into + count;
    int bit;

    if ((size_t)(*end - start) < count * 8)
        return false;
    while (count--) {
        byte--;
        *byte = 0;
        for (bit = 0; bit < 8; bit++) {
            --*end;
            if (**end != ' ' && **end != ':')
                return false;
            *byte |= (unsigned char)((**end == ' ') << bit);
        }
    }
    return true;
}

bool cua_handover_read(const char *value, struct cua_handover *handover)
{
    const char *end = value + cua_length(value);
    unsigned char found[sizeof(mark)], size[2];
    size_t length, i;
    char *file;

    if (!read_bytes(value, &end, found, sizeof(found)))
        return false;
    for (i = 0; i < sizeof(mark); i++)
        if (found[i] != mark[i])
            return false;
    if (!read_bytes(value, &end, &handover->what, 1) || !read_bytes(value, &end, size, 2) ||
        !read_bytes(value, &end, handover->name, CUA_HANDOVER_NAME_MAX))
        return false;
    handover->name[CUA_HANDOVER_NAME_MAX - 1] = 0;
    handover->file = NULL;
    length = (size_t)size[0] << 8 | size[1];
    if (!(handover->what & CUA_HANDOVER_FILE) || length >= FILE_MAX)
        return true;
    file = cua_sys_map(FILE_MAX);
    if (file && read_bytes(value, &end, file, length))
        handover->file = file;
    return true;
}
