/* SPDX-License-Identifier: Apache-2.0 */
/* Reads an archive without unpacking it to files: zip, tar, ar, cpio, rpm, also compressed or
 * inside one another. libarchive does the work. It is loaded when the first archive is opened, so a
 * command that reads none does not need it. The caller decides how much of an entry is read. */
#ifndef CUA_ARCHIVE_H
#define CUA_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct cua_archive;

struct cua_archive_entry {
    const char *path; /* exactly as in the archive, such as "../x"; valid until the next entry */
    const char *link; /* where a symbolic or a hard link leads; NULL: it is no link */
    mode_t mode;      /* type (S_IFREG for a hard link) and permissions */
    int64_t size;     /* -1: not known until the whole entry is read */
};

/* Reads at most `size` bytes into `buf`. Returns their number; 0 at the end, -1 on failure. */
typedef ssize_t cua_archive_source(void *data, void *buf, size_t size);

/* Begins to read an archive from a descriptor, which may be a pipe. The descriptor stays the
 * caller's; its position is undefined afterwards. Returns NULL on failure; then *why is the reason,
 * a text that is never freed. If libarchive is missing, the reason names the package to install. */
struct cua_archive *cua_archive_open(int fd, const char **why);
/* Like cua_archive_open, but reads the archive by calling `source` with `data`. For an archive
 * inside another, pass cua_archive_read and the outer archive. */
struct cua_archive *cua_archive_open_source(cua_archive_source *source, void *data,
                                            const char **why);
void cua_archive_close(struct cua_archive *archive);

/* Moves to the next entry. Returns 1; 0 after the last entry; -1 if the archive cannot be read any
 * further. */
int cua_archive_next(struct cua_archive *archive, struct cua_archive_entry *entry);
/* A cua_archive_source: reads the current entry of `archive`, which is a struct cua_archive. */
ssize_t cua_archive_read(void *archive, void *buf, size_t size);
/* Why the last call failed; valid until the next call. */
const char *cua_archive_error(const struct cua_archive *archive);

/* dlopen's handle of libarchive, for dlsym. NULL if libarchive is missing; then *why names the
 * package to install. */
void *cua_archive_library(const char **why);

/* Whether a file that begins with these `have` bytes may be an archive: zip, ar, tar, gzip, xz,
 * zstd, bzip2. Recognizes a tar only from 262 bytes on. False for other archives that could be
 * read, such as an rpm, a cpio that is not compressed, or a tar without the mark "ustar". */
bool cua_archive_glance(const void *head, size_t have);

#endif
