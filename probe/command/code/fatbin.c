/* SPDX-License-Identifier: Apache-2.0 */
#include "command/code/fatbin.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define FLAG_LZ4    0x2000u
#define FLAG_ZSTD   0x8000u
#define FLAG_EXACT  0x100000u
#define FLAG_FAMILY 0x200000u
/* With a word size, the host, debugging (the lowest), LTO, and a header that is longer. */
#define FLAGS_KNOWN                                                                                \
    (0xfffu | FLAG_LZ4 | FLAG_ZSTD | 0x10000u | FLAG_EXACT | FLAG_FAMILY | 0x1000000u)
#define MOST_HEAD (64u << 10)
#define LEAST_PTX 96 /* .version, .target and .address_size alone */

/* 0xBA55ED50, version 1, a header of 16 bytes; then the number of bytes that follow. */
const unsigned char cua_fatbin_magic[8] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0};

struct fatbin_entry {
    uint16_t kind, unused; /* 1 PTX, 2 ELF, 8 LTO */
    uint32_t head;         /* of this and of what precedes the payload */
    uint64_t bytes;        /* of payload */
    uint32_t packed, unused2;
    uint16_t minor, major;
    uint32_t sm, name_at, name_size;
    uint64_t flags, unused3, unpacked;
};
_Static_assert(sizeof(struct fatbin_entry) == 64, "as in the file");

bool cua_code_read(int fd, void *to, uint64_t size, uint64_t at)
{
    for (char *next = to; size;) {
        ssize_t n = pread(fd, next, size, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        next += n;
        at += (uint64_t)n;
        size -= (uint64_t)n;
    }
    return true;
}

bool cua_code_find(int fd, uint64_t *at, uint64_t end, const void *bytes, size_t size)
{
    static char window[64 << 10];
    uint64_t want = 256; /* mostly it is right here */

    for (; *at < end && end - *at >= size; want = sizeof window) {
        const uint64_t have = end - *at < want ? end - *at : want;
        if (!cua_code_read(fd, window, have, *at))
            return false;
        const char *found = memmem(window, have, bytes, size);
        *at += found ? (uint64_t)(found - window) : have - (size - 1);
        if (found)
            return true;
    }
    *at = end;
    return true;
}

static struct cua_code_entry translate(const struct fatbin_entry *raw)
{
    static const enum cua_code_kind kinds[] = {
        [1] = CUA_CODE_PTX, [2] = CUA_CODE_ELF, [8] = CUA_CODE_LTO};
    struct cua_code_entry entry = {.sm = raw->sm};

    if (raw->kind < sizeof kinds / sizeof *kinds && !(raw->flags & ~(uint64_t)FLAGS_KNOWN))
        entry.kind = kinds[raw->kind];
    entry.packed = raw->flags & FLAG_ZSTD  ? CUA_PACKED_ZSTD
                   : raw->flags & FLAG_LZ4 ? CUA_PACKED_LZ4
                   : raw->packed           ? CUA_PACKED_OTHER
                                           : CUA_PACKED_NONE;
    entry.suffix = raw->flags & FLAG_EXACT ? 'a' : raw->flags & FLAG_FAMILY ? 'f' : 0;
    if (entry.kind == CUA_CODE_PTX) {
        entry.version = raw->major * 10u + raw->minor;
        entry.empty = (raw->packed ? raw->unpacked : raw->bytes) < LEAST_PTX;
    }
    return entry;
}

bool cua_fatbin_scan(int fd, uint64_t at, uint64_t end,
                     void (*take)(void *data, const struct cua_code_entry *entry), void *data)
{
    struct fatbin_entry raw;
    uint64_t head[2], stop;

    while (cua_code_find(fd, &at, end, cua_fatbin_magic, sizeof cua_fatbin_magic)) {
        if (end - at < sizeof head)
            return true;
        if (!cua_code_read(fd, head, sizeof head, at))
            return false;
        at += sizeof head;
        if (head[1] > end - at) /* only looks like one, or is cut off */
            continue;
        for (stop = at + head[1]; stop - at >= sizeof raw; at += raw.head + raw.bytes) {
            if (!cua_code_read(fd, &raw, sizeof raw, at))
                return false;
            if (raw.head < sizeof raw || raw.head > MOST_HEAD || raw.head > stop - at ||
                raw.bytes > stop - at - raw.head) {
                take(data, &(struct cua_code_entry){.kind = CUA_CODE_OTHER});
                break;
            }
            const struct cua_code_entry entry = translate(&raw);
            if (raw.kind)
                take(data, &entry);
        }
        take(data, NULL);
        at = stop;
    }
    return false;
}
