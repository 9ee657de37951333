/* SPDX-License-Identifier: Apache-2.0 */
/* Opens libarchive by dlopen, so that the command also starts where libarchive is missing. Only the
 * functions that are used are declared here; libarchive.so.13 has had them since 3.0. */
#include "machine/archive.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BLOCK ((size_t)256 << 10)
#define OK    0     /* ARCHIVE_OK */
#define END   1     /* ARCHIVE_EOF */
#define WARN  (-20) /* ARCHIVE_WARN */

struct archive;
struct archive_entry;

static struct {
    struct archive *(*read_new)(void);
    int (*read_free)(struct archive *);
    int (*open_fd)(struct archive *, int, size_t);
    int (*open)(struct archive *, void *, void *,
                ssize_t (*)(struct archive *, void *, const void **),
                int (*)(struct archive *, void *));
    int (*next_header)(struct archive *, struct archive_entry **);
    ssize_t (*data)(struct archive *, void *, size_t);
    const char *(*error_string)(struct archive *);
    const char *(*pathname)(struct archive_entry *);
    const char *(*symlink)(struct archive_entry *);
    const char *(*hardlink)(struct archive_entry *);
    unsigned (*mode)(struct archive_entry *);
    int64_t (*size)(struct archive_entry *);
    int (*size_is_set)(struct archive_entry *);
} lib;

static const struct {
    const char *name;
    void *function;
} functions[] = {
    {"archive_read_new", &lib.read_new},
    {"archive_read_free", &lib.read_free},
    {"archive_read_open_fd", &lib.open_fd},
    {"archive_read_open", &lib.open},
    {"archive_read_next_header", &lib.next_header},
    {"archive_read_data", &lib.data},
    {"archive_error_string", &lib.error_string},
    {"archive_entry_pathname", &lib.pathname},
    {"archive_entry_symlink", &lib.symlink},
    {"archive_entry_hardlink", &lib.hardlink},
    {"archive_entry_mode", &lib.mode},
    {"archive_entry_size", &lib.size},
    {"archive_entry_size_is_set", &lib.size_is_set},
};

/* libarchive's functions that enable the formats and filters (decompressors) used here. Other
 * formats stay disabled, so that less code parses hostile input. load() sets an entry to NULL if
 * libarchive lacks the function, or would run a program for that filter. */
static int (*readers[9])(struct archive *);
static const char *const reader_names[] = {
    "archive_read_support_format_zip",  "archive_read_support_format_tar",
    "archive_read_support_format_ar",   "archive_read_support_format_cpio",
    "archive_read_support_filter_gzip", "archive_read_support_filter_bzip2",
    "archive_read_support_filter_xz",   "archive_read_support_filter_zstd",
    "archive_read_support_filter_rpm",
};

struct cua_archive {
    struct archive *handle;
    cua_archive_source *source;
    void *data;
    char block[BLOCK]; /* what `source` delivered last */
};

#define NO_LIBRARY                                                                                 \
    "libarchive.so.13 cannot be loaded: install libarchive13 (Debian, Ubuntu) or libarchive "      \
    "(Fedora, RHEL)"

void *cua_archive_library(const char **why)
{
    static void *handle;

    handle = handle ? handle : dlopen("libarchive.so.13", RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        *why = NO_LIBRARY;
    return handle;
}

/* Loads libarchive and finds its functions. Returns NULL on success, else why it failed. */
static const char *load(void)
{
    const char *why;
    void *handle;

    if (lib.read_new)
        return NULL;
    handle = cua_archive_library(&why);
    if (!handle)
        return NO_LIBRARY ", or unpack the archive";
    for (size_t i = sizeof functions / sizeof *functions; i-- > 0;) {
        void *function = dlsym(handle, functions[i].name);
        if (!function)
            return "this libarchive.so.13 lacks functions of libarchive 3.0";
        memcpy(functions[i].function, &function, sizeof function);
    }
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        void *function = dlsym(handle, reader_names[i]);
        struct archive *trial = lib.read_new();
        memcpy(&readers[i], &function, sizeof function);
        if (trial && readers[i] && readers[i](trial) != OK)
            readers[i] = NULL;
        if (trial)
            lib.read_free(trial);
    }
    return NULL;
}

static ssize_t feed(struct archive *handle, void *data, const void **block)
{
    struct cua_archive *archive = data;

    (void)handle;
    *block = archive->block;
    return archive->source(archive->data, archive->block, sizeof archive->block);
}

static struct cua_archive *open_any(int fd, cua_archive_source *source, void *data,
                                    const char **why)
{
    struct cua_archive *archive = NULL;

    *why = load();
    if (*why)
        return NULL;
    archive = malloc(sizeof *archive);
    if (!archive || !(archive->handle = lib.read_new())) {
        free(archive);
        *why = "out of memory";
        return NULL;
    }
    archive->source = source;
    archive->data = data;
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (readers[i])
            readers[i](archive->handle);
    if ((source ? lib.open(archive->handle, archive, NULL, feed, NULL)
                : lib.open_fd(archive->handle, fd, BLOCK)) < WARN) {
        *why = "cannot be read as an archive";
        cua_archive_close(archive);
        return NULL;
    }
    return archive;
}

struct cua_archive *cua_archive_open(int fd, const char **why)
{
    return open_any(fd, NULL, NULL, why);
}

struct cua_archive *cua_archive_open_source(cua_archive_source *source, void *data,
                                            const char **why)
{
    return open_any(-1, source, data, why);
}

void cua_archive_close(struct cua_archive *archive)
{
    if (!archive)
        return;
    lib.read_free(archive->handle);
    free(archive);
}

int cua_archive_next(struct cua_archive *archive, struct cua_archive_entry *entry)
{
    struct archive_entry *header;
    const int rc = lib.next_header(archive->handle, &header);

    if (rc == END)
        return 0;
    if (rc < WARN)
        return -1;
    const char *path = lib.pathname(header), *hard = lib.hardlink(header);
    *entry = (struct cua_archive_entry){
        .path = path ? path : "?", /* NULL: the name cannot be represented in this locale */
        .link = hard ? hard : lib.symlink(header),
        .mode = lib.mode(header),
        .size = lib.size_is_set(header) ? lib.size(header) : -1,
    };
    if (hard)
        entry->mode = S_IFREG | (entry->mode & 07777);
    return 1;
}

ssize_t cua_archive_read(void *archive, void *buf, size_t size)
{
    const ssize_t got = lib.data(((struct cua_archive *)archive)->handle, buf, size);

    return got < 0 ? -1 : got;
}

const char *cua_archive_error(const struct cua_archive *archive)
{
    const char *text = lib.error_string(archive->handle);

    return text ? text : "damaged";
}

bool cua_archive_glance(const void *head, size_t have)
{
    static const struct {
        const char *mark;
        size_t length, at;
    } marks[] = {
        {"PK\3\4", 4, 0},
        {"PK\5\6", 4, 0},
        {"!<arch>\n", 8, 0},
        {"ustar", 5, 257},
        {"\x1f\x8b\x08", 3, 0},
        {"\xfd"
         "7zXZ\0",
         6, 0},
        {"\x28\xb5\x2f\xfd", 4, 0},
        {"BZh", 3, 0},
    };

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (have >= marks[i].at + marks[i].length &&
            memcmp((const char *)head + marks[i].at, marks[i].mark, marks[i].length) == 0)
            return true;
    return false;
}
