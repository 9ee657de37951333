/* SPDX-License-Identifier: Apache-2.0 */
/* scan.c first needs the headers at the end of an ELF file. So a member is unpacked to memory, and
 * scan.c scans this copy.
 *
 * To save memory, the copy has holes: the host's machine code, and most of the payload of each
 * entry of GPU code. They make up most of a file, and scan.c does not need them. Entries lie in
 * containers ("fat binaries"), which begin with `magic`. The input is not trusted: data that only
 * looks like a container may become a hole, too. */
#include "command/code/members.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "base/text.h"
#include "machine/archive.h"

#define HEAD     ((size_t)512)
#define BUFFER   ((size_t)2 << 20)
#define MOST     ((uint64_t)16 << 30) /* most bytes of one member */
#define MOST_PUT ((uint64_t)2 << 30)  /* most bytes of a member that are stored in memory */
#define STEP     ((size_t)64 << 10)
#define MOST_PTX ((uint64_t)64 << 10) /* bytes of a .ptx file that are stored */
#define TAIL     ((off_t)64 << 20)
/* How many bytes of a payload are stored. scan.c looks for the compiler's release in them
 * (ask_maker). */
#define KEPT     2048u
#define MOST_TOP (64u << 10)
#define DEEPEST  3

static const unsigned char magic[8] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0};

/* The beginning of an entry in a container (struct fatbin_entry in scan.c). */
struct top {
    uint16_t kind, unused;
    uint32_t head;
    uint64_t bytes;
};

struct members {
    int (*take)(void *data, const char *path, int fd);
    void *data;
    const char **why;
};

/* A member that is being copied. buf[0] is the byte at offset `at` of the member, and buf has
 * `have` bytes. */
struct copy {
    struct cua_archive *archive;
    char *buf;
    size_t have;
    /* left: how many bytes of the current container follow the current entry.
     * skip: how many bytes of this entry's payload are still to be left out. */
    uint64_t at, left, skip;
    uint64_t size;               /* size of the member; UINT64_MAX if it is not known */
    uint64_t code_from, code_to; /* range not stored: host code, or the end of a .ptx file */
    uint64_t put;                /* how many bytes of the member are stored in memory */
    int fd;
    bool ended, failed;
};

bool cua_code_is_archive(const char *path, bool named, const void *head, size_t have)
{
    static const char blobs[] = "/blobs/sha256/";
    static const char *const names[] = {".whl", ".zip",     ".tar",    ".tar.gz",
                                        ".tgz", ".tar.zst", ".tar.xz", ".tar.bz2",
                                        ".egg", ".conda",   ".deb",    ".rpm"};

    if (!cua_archive_glance(head, have))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        named |= cua_ends(path, names[i]);
    /* The layers of a container image are named by their hashes, so their names do not show that
     * they are archives. Archives inside the layers have ordinary names. */
    const char *blob = strstr(path, blobs);
    return named || (blob && !strchr(blob + sizeof blobs - 1, '/'));
}

static bool is_zero(const char *data, size_t size)
{
    return !data[0] && memcmp(data, data + 1, size - 1) == 0;
}

/* Stores the bytes from `from` to `to` of buf. The host's machine code, and zeros, stay holes. */
static void put(struct copy *copy, size_t from, size_t to)
{
    while (from < to && !copy->failed) {
        const uint64_t at = copy->at + from;
        size_t size = to - from;
        if (at >= copy->code_from && at < copy->code_to) {
            from += copy->code_to - at < size ? (size_t)(copy->code_to - at) : size;
            continue;
        }
        if (at < copy->code_from && copy->code_from - at < size)
            size = (size_t)(copy->code_from - at);
        size = size < STEP ? size : STEP;
        if (is_zero(copy->buf + from, size)) {
            from += size;
            continue;
        }
        const ssize_t done = pwrite(copy->fd, copy->buf + from, size, (off_t)at);
        copy->put += size;
        copy->failed = done <= 0 || copy->put > MOST_PUT;
        from += done > 0 ? (size_t)done : 0;
    }
}

/* Makes sure that buf has `want` bytes from index *from on. If it must read more, it first moves
 * those bytes to the beginning of buf and sets *from to 0. Returns false if the member ends too
 * early, or cannot be read. */
static bool fill(struct copy *copy, size_t *from, size_t want)
{
    if (copy->have - *from >= want)
        return true;
    memmove(copy->buf, copy->buf + *from, copy->have - *from);
    copy->at += *from;
    copy->have -= *from;
    *from = 0;
    while (copy->have < BUFFER && !copy->ended) {
        const ssize_t got =
            cua_archive_read(copy->archive, copy->buf + copy->have, BUFFER - copy->have);
        copy->failed |= got < 0;
        copy->ended = got <= 0;
        copy->have += got > 0 ? (size_t)got : 0;
    }
    return copy->have >= want;
}

static void find_code(struct copy *copy)
{
    Elf64_Ehdr header;
    Elf64_Phdr segment;

    memcpy(&header, copy->buf, sizeof header);
    if (memcmp(&header, ELFMAG "\2\1", 6) != 0 || header.e_type == ET_REL)
        return;
    for (size_t i = 0; i < header.e_phnum; i++) {
        if (header.e_phoff > copy->have || (i + 1) * sizeof segment > copy->have - header.e_phoff)
            return;
        memcpy(&segment, copy->buf + header.e_phoff + i * sizeof segment, sizeof segment);
        if (segment.p_type == PT_LOAD && segment.p_flags & PF_X && segment.p_offset > copy->have &&
            segment.p_filesz < MOST && segment.p_filesz > copy->code_to - copy->code_from) {
            copy->code_from = segment.p_offset;
            copy->code_to = segment.p_offset + segment.p_filesz;
        }
    }
}

/* Stores the next entry of a container, without most of its payload. Bytes that are not an entry
 * end the container. */
static void take_top(struct copy *copy, size_t *from)
{
    struct top top;

    if (copy->left < 64 || !fill(copy, from, 64)) {
        copy->left = 0;
        return;
    }
    memcpy(&top, copy->buf + *from, sizeof top);
    if (top.head < 64 || top.head > MOST_TOP || top.head > copy->left ||
        top.bytes > copy->left - top.head) {
        copy->left = 0;
        return;
    }
    const size_t keep = top.head + (size_t)(top.bytes < KEPT ? top.bytes : KEPT);
    if (!fill(copy, from, keep)) {
        copy->left = 0;
        return;
    }
    put(copy, *from, *from + keep);
    *from += keep;
    copy->skip = top.head + top.bytes - keep;
    copy->left -= top.head + top.bytes;
}

/* Takes a container, whose entries begin at offset `at`, out of the range that is not stored: a
 * linker may put GPU code into the segment of the host's code. */
static void keep_container(struct copy *copy, uint64_t at)
{
    if (copy->left && at > copy->code_from && at <= copy->code_to)
        copy->code_from = copy->left < copy->code_to - at ? at + copy->left : copy->code_to;
}

static void take_next(struct copy *copy, size_t *from)
{
    const char *start = copy->buf + *from;
    const char *found = memmem(start, copy->have - *from, magic, sizeof magic);
    const size_t to =
        found ? (size_t)(found - copy->buf) : copy->have - (copy->ended ? 0 : sizeof magic - 1);

    put(copy, *from, to);
    *from = to;
    if (!found || !fill(copy, from, 16)) {
        if (found) {
            put(copy, *from, copy->have);
            *from = copy->have;
        }
        return;
    }
    memcpy(&copy->left, copy->buf + *from + 8, sizeof copy->left);
    if (copy->left > copy->size - (copy->at + *from)) /* only looks like a container */
        copy->left = 0;
    keep_container(copy, copy->at + *from + 16);
    put(copy, *from, *from + 16);
    *from += 16;
}

/* Copies a member to copy->fd. Its beginning is in buf already. */
static void copy_all(struct copy *copy)
{
    size_t from = 0;

    fill(copy, &from, BUFFER);
    find_code(copy);
    while (!copy->failed && copy->at + from < MOST && (from < copy->have || fill(copy, &from, 1))) {
        if (copy->skip) {
            const size_t here = copy->have - from;
            const size_t size = copy->skip < here ? (size_t)copy->skip : here;
            from += size;
            copy->skip -= size;
        } else if (copy->left) {
            take_top(copy, &from);
        } else if (fill(copy, &from, 64) || copy->ended) {
            take_next(copy, &from);
        }
    }
    copy->failed |= ftruncate(copy->fd, (off_t)(copy->at + copy->have)) != 0;
}

static bool is_code(const char *path, const char *head, size_t have)
{
    return (have >= 6 && memcmp(head, ELFMAG "\2\1", 6) == 0) ||
           (have >= sizeof magic && memcmp(head, magic, sizeof magic) == 0) ||
           cua_ends(path, ".ptx");
}

static int take_member(const struct members *members, struct copy *copy, const char *path)
{
    /* 1u is MFD_CLOEXEC, for which old glibcs have no name. */
    copy->fd = (int)syscall(SYS_memfd_create, "code", 1u);
    if (copy->fd < 0) {
        *members->why = errno == ENOSYS || errno == EPERM
                            ? "cannot be unpacked: this system does not allow memfd_create"
                        : errno == EMFILE || errno == ENFILE
                            ? "cannot be unpacked: too many files are open"
                            : "out of memory for reading its files (memfd_create)";
        return -1;
    }
    if (cua_ends(path, ".ptx")) {
        copy->code_from = MOST_PTX;
        copy->code_to = UINT64_MAX;
    }
    copy_all(copy);
    if (!copy->failed)
        return members->take(members->data, path, copy->fd);
    close(copy->fd);
    *members->why = "a file in it is damaged or encrypted, or needs more than 2 GiB of memory";
    return -1;
}

static ssize_t feed(void *data, void *buf, size_t size)
{
    struct copy *copy = data;

    if (!copy->have)
        return cua_archive_read(copy->archive, buf, size);
    size = size < copy->have ? size : copy->have;
    memcpy(buf, copy->buf, size);
    memmove(copy->buf, copy->buf + size, copy->have - size);
    copy->have -= size;
    return (ssize_t)size;
}

static int take_archive(const struct members *members, struct cua_archive *archive,
                        const char *path, unsigned depth);

static int take_entry(const struct members *members, struct copy *copy, const char *path,
                      unsigned depth)
{
    while (copy->have < HEAD && !copy->ended) {
        const ssize_t got =
            cua_archive_read(copy->archive, copy->buf + copy->have, HEAD - copy->have);
        copy->ended = got <= 0;
        copy->have += got > 0 ? (size_t)got : 0;
        if (got < 0) {
            *members->why = "a file in it is damaged or encrypted, or its compression is not "
                            "supported";
            return -1;
        }
    }
    if (is_code(path, copy->buf, copy->have))
        return take_member(members, copy, path);
    if (!cua_code_is_archive(path, false, copy->buf, copy->have))
        return 0;
    if (depth == DEEPEST) {
        *members->why = "it contains archives that are nested too deeply";
        return 0;
    }
    const char *why = NULL;
    const struct members deeper = {members->take, members->data, &why};
    struct cua_archive *inner = cua_archive_open_source(feed, copy, &why);
    const int rc = inner ? take_archive(&deeper, inner, path, depth + 1) : 0;
    cua_archive_close(inner);
    *members->why = why ? why : *members->why;
    /* `why` is set if something in the inner archive could not be read; then the outer one goes on.
     * If only `take` failed, the outer archive ends, too. */
    return why ? 0 : rc;
}

/* Returns an error text if the end of the archive is missing: a zip has no directory at its end, or
 * the last 64 MiB of the file are a hole. NULL: neither was found. */
static const char *what_is_cut(int fd)
{
    struct stat st;
    char head[4], *tail;
    const size_t most = (64u << 10) + 22; /* the longest comment of a zip, and its last record */

    if (cua_fstat(fd, &st) || pread(fd, head, sizeof head, 0) != (ssize_t)sizeof head)
        return NULL;
    if (st.st_size > TAIL && lseek(fd, st.st_size - TAIL, SEEK_DATA) < 0 && errno == ENXIO)
        return "it is damaged: there is nothing in its last 64 MiB";
    lseek(fd, 0, SEEK_SET);
    if (memcmp(head, "PK\3\4", sizeof head) != 0 || !(tail = malloc(most)))
        return NULL;
    const ssize_t got =
        pread(fd, tail, most, st.st_size > (off_t)most ? st.st_size - (off_t)most : 0);
    const bool whole = got > 0 && memmem(tail, (size_t)got, "PK\5\6", 4);
    free(tail);
    return whole ? NULL : "it is truncated: the directory at its end is missing";
}

static int take_archive(const struct members *members, struct cua_archive *archive,
                        const char *path, unsigned depth)
{
    struct cua_archive_entry entry;
    char *name = malloc(PATH_MAX), *buf = malloc(BUFFER);
    int more = 0, rc = name && buf ? 0 : -1;

    if (rc)
        *members->why = "out of memory";
    while (rc == 0 && (more = cua_archive_next(archive, &entry)) == 1) {
        struct copy copy = {.archive = archive,
                            .buf = buf,
                            .size = entry.size < 0 ? UINT64_MAX : (uint64_t)entry.size,
                            .fd = -1};
        if (S_ISREG(entry.mode) && !entry.link && entry.size != 0 &&
            snprintf(name, PATH_MAX, "%s/%s", path, entry.path) < PATH_MAX)
            rc = take_entry(members, &copy, name, depth);
    }
    if (rc == 0 && more < 0) {
        *members->why = depth ? "an archive in it is damaged" : "it is damaged, or not an archive";
        rc = -1;
    }
    free(name);
    free(buf);
    return rc;
}

int cua_code_members(int fd, const char *path, int (*take)(void *data, const char *path, int fd),
                     void *data, const char **why)
{
    const struct members members = {.take = take, .data = data, .why = why};
    const char *cut = what_is_cut(fd);
    struct stat st;
    struct cua_archive *archive = NULL;

    /* A zip that lacks its end is still read, from its beginning, if it has at most 64 MiB. */
    if (cut && cua_fstat(fd, &st) == 0 && st.st_size > TAIL) {
        *why = cut;
        return -1;
    }
    archive = cua_archive_open(fd, why);
    const int rc = archive ? take_archive(&members, archive, path, 0) : -1;
    cua_archive_close(archive);
    *why = rc == 0 && cut ? cut : *why;
    return rc || *why ? -1 : 0;
}
