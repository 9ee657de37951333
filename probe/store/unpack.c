/* SPDX-License-Identifier: Apache-2.0 */
#include "store/unpack.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "machine/archive.h"
#include "store/apart.h"
#include "store/member.h"

/* Limit for the memory that the unpacking child may allocate. It needs 64 MiB for a file that xz
 * -9e compressed, and at most 128 MiB for one of zstd. */
#define MEMORY (1ul << 30)

static int out;
static unsigned files;
static uint64_t bytes;

static void fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
static void fail(const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    struct cua_stream_head head = {CUA_STREAM_FAILED, (uint32_t)strlen(text), 0};
    if (cua_write_all(out, &head, sizeof head))
        cua_write_all(out, text, head.name);
    _exit(1);
}

static void pass_on(struct cua_archive *archive, const char *path, uint64_t size)
{
    struct cua_stream_head head = {CUA_STREAM_FILE, (uint32_t)strlen(path), size};
    static char part[1 << 16];

    if (!cua_write_all(out, &head, sizeof head) || !cua_write_all(out, path, head.name))
        _exit(1);
    while (size) {
        ssize_t n = cua_archive_read(archive, part, size < sizeof part ? size : sizeof part);
        /* Do not call fail(): the parent would take its message for the rest of this file. If the
         * child only exits, the parent reports that the stream ended early. */
        if (n <= 0 || !cua_write_all(out, part, (uint64_t)n))
            _exit(1);
        size -= (uint64_t)n;
    }
}

/* Whether a member of an archive has the name of the tar in which a .deb (deb(5)) or a .conda keeps
 * its files. */
static bool is_inner(const char *name)
{
    return cua_starts(name, "data.tar") || (cua_starts(name, "pkg-") && strstr(name, ".tar."));
}

static void count(int64_t size)
{
    if (++files > CUA_ARCHIVE_FILES)
        fail("it contains more than %d files, too many for a driver", CUA_ARCHIVE_FILES);
    bytes += size > 0 ? (uint64_t)size : 0;
    if (size > (int64_t)CUA_ARCHIVE_BYTES || bytes > CUA_ARCHIVE_BYTES)
        fail("it contains more than %llu GiB, too much for a driver", CUA_ARCHIVE_BYTES >> 30);
}

static void read_archive(struct cua_archive *archive, bool inside);

static void read_member(struct cua_archive *archive, const struct cua_archive_entry *entry,
                        bool inside)
{
    const char *name = cua_basename(entry->path), *why;
    enum cua_member kind = cua_member_of(name);

    count(entry->size);
    if (!S_ISREG(entry->mode) || entry->link)
        return;
    if (!inside && is_inner(name)) {
        struct cua_archive *inner = cua_archive_open_source(cua_archive_read, archive, &why);
        if (!inner)
            fail("%.200s: %s", entry->path, why);
        read_archive(inner, true);
        cua_archive_close(inner);
        return;
    }
    if (kind == CUA_MEMBER_NONE || strlen(entry->path) >= 4096)
        return;
    if (kind != CUA_MEMBER_LIBRARY &&
        (entry->size < 0 || (uint64_t)entry->size > CUA_LICENCE_BYTES))
        return;
    if (entry->size < 0 || (uint64_t)entry->size > CUA_MEMBER_BYTES)
        fail("%.200s: %lld bytes is no plausible size for a driver library", entry->path,
             (long long)entry->size);
    pass_on(archive, entry->path, (uint64_t)entry->size);
}

static void read_archive(struct cua_archive *archive, bool inside)
{
    struct cua_archive_entry entry;
    int more;

    while ((more = cua_archive_next(archive, &entry)) > 0)
        read_member(archive, &entry, inside);
    if (more < 0)
        fail("%s", cua_archive_error(archive));
}

void cua_unpack(int fd, int to)
{
    struct cua_stream_head end = {CUA_STREAM_END, 0, 0};
    const char *why;

    out = to;
    if (lseek(fd, 0, SEEK_SET) < 0)
        fail("the archive cannot be read");
    cua_apart(1, MEMORY);
    struct cua_archive *archive = cua_archive_open(fd, &why);
    if (!archive)
        fail("%s", why);
    read_archive(archive, false);
    _exit(!cua_write_all(out, &end, sizeof end));
}
