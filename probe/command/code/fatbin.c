/* SPDX-License-Identifier: Apache-2.0 */
#include "command/code/fatbin.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define WINDOW (64u << 10)

/* 0xBA55ED50, version 1, a header of 16 bytes. */
static const unsigned char magic[8] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0};

struct fatbin_head {
    unsigned char magic[sizeof magic];
    uint64_t bytes; /* that follow */
};

struct fatbin_entry {
    uint16_t kind, unused;
    uint32_t head;  /* of this and of what precedes the payload */
    uint64_t bytes; /* of payload */
    uint32_t packed, unused2;
    uint16_t minor, major;
    uint32_t sm, name_at, name_size;
    uint64_t flags, unused3, unpacked;
};
_Static_assert(sizeof(struct fatbin_head) == 16 && sizeof(struct fatbin_entry) == 64,
               "as in the file");

#define KIND_PTX    1
#define KIND_ELF    2
#define FLAG_LZ4    0x2000u
#define FLAG_OTHER  0x4000u /* between the two known ones: never seen */
#define FLAG_ZSTD   0x8000u
#define FLAG_EXACT  0x100000u
#define FLAG_FAMILY 0x200000u
#define MOST_HEAD   (64u << 10)
#define LEAST_PTX   96 /* .version, .target and .address_size alone */

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

bool cua_is_fatbin(const void *start)
{
    return memcmp(start, magic, sizeof magic) == 0;
}

/* Where the next magic lies, on a boundary of 4; `end` where there is none. False: not readable. */
static bool find(int fd, uint64_t *at, uint64_t end)
{
    static unsigned char window[WINDOW];
    uint64_t want = 256; /* mostly it is right here */

    while (end - *at >= sizeof magic) {
        uint64_t have = end - *at < want ? end - *at : want;
        if (!cua_code_read(fd, window, have, *at))
            return false;
        for (unsigned char *p = window;
             (p = memmem(p, have - (uint64_t)(p - window), magic, sizeof magic)); p++) {
            uint64_t found = *at + (uint64_t)(p - window);
            if (found % 4)
                continue;
            *at = found;
            return true;
        }
        *at += have - (sizeof magic - 1);
        want = sizeof window;
    }
    *at = end;
    return true;
}

static void report(const struct fatbin_entry *raw, const struct cua_code_visitor *visitor)
{
    struct cua_code_entry entry = {.sm = raw->sm};

    entry.kind = raw->kind == KIND_PTX   ? CUA_CODE_PTX
                 : raw->kind == KIND_ELF ? CUA_CODE_ELF
                                         : CUA_CODE_OTHER;
    entry.packed = raw->flags & FLAG_OTHER  ? CUA_PACKED_OTHER
                   : raw->flags & FLAG_ZSTD ? CUA_PACKED_ZSTD
                   : raw->flags & FLAG_LZ4  ? CUA_PACKED_LZ4
                                            : CUA_PACKED_NONE;
    entry.suffix = raw->flags & FLAG_EXACT ? 'a' : raw->flags & FLAG_FAMILY ? 'f' : 0;
    if (entry.kind == CUA_CODE_PTX) {
        entry.version = raw->major * 10u + raw->minor;
        entry.empty = (raw->packed ? raw->unpacked : raw->bytes) < LEAST_PTX;
    }
    visitor->entry(visitor->data, &entry);
}

/* One container at *at, which is moved behind it. False: not readable. */
static bool container(int fd, uint64_t *at, uint64_t end, bool mixed,
                      const struct cua_code_visitor *visitor)
{
    uint64_t next = *at + sizeof(struct fatbin_head), stop;
    struct fatbin_head head;
    struct fatbin_entry entry;
    bool broken = false, any = false;

    if (end - *at < sizeof head || !cua_code_read(fd, &head, sizeof head, *at))
        return end - *at < sizeof head ? (*at = end, true) : false;
    if (head.bytes > end - next) {
        *at = next;
        if (!mixed)
            visitor->module(visitor->data, true);
        return true;
    }
    stop = *at = next + head.bytes;
    for (; stop - next >= sizeof entry; next += entry.head + entry.bytes, any = true) {
        if (!cua_code_read(fd, &entry, sizeof entry, next))
            return false;
        broken = entry.head < sizeof entry || entry.head > MOST_HEAD || entry.head > stop - next ||
                 entry.bytes > stop - next - entry.head;
        if (broken)
            break;
        if (entry.kind)
            report(&entry, visitor);
    }
    if (any || !mixed)
        visitor->module(visitor->data, broken);
    else if (broken)
        *at = next;
    return true;
}

bool cua_fatbin_scan(int fd, uint64_t at, uint64_t end, bool mixed,
                     const struct cua_code_visitor *visitor)
{
    while (at < end) {
        if (!find(fd, &at, end))
            return false;
        if (at < end && !container(fd, &at, end, mixed, visitor))
            return false;
    }
    return true;
}
