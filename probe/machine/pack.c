/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/pack.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "machine/archive.h"

/* ARCHIVE_OK. Every other result counts as a failure, even ARCHIVE_WARN: from
 * archive_write_add_filter_* it means that libarchive would run a program to compress. */
#define OK 0

struct archive;
struct archive_entry;

static struct {
    struct archive *(*write_new)(void);
    int (*write_free)(struct archive *);
    int (*set_format)(struct archive *);
    int (*open_fd)(struct archive *, int);
    int (*write_header)(struct archive *, struct archive_entry *);
    ssize_t (*write_data)(struct archive *, const void *, size_t);
    int (*write_close)(struct archive *);
    int (*error_number)(struct archive *);
    struct archive_entry *(*entry_new)(void);
    void (*entry_free)(struct archive_entry *);
    void (*set_pathname)(struct archive_entry *, const char *);
    void (*set_symlink)(struct archive_entry *, const char *);
    void (*set_filetype)(struct archive_entry *, unsigned);
    void (*set_perm)(struct archive_entry *, mode_t);
    void (*set_size)(struct archive_entry *, int64_t);
} lib;

static const struct {
    const char *name;
    void *function;
} functions[] = {
    {"archive_write_new", &lib.write_new},
    {"archive_write_free", &lib.write_free},
    {"archive_write_set_format_pax_restricted", &lib.set_format},
    {"archive_write_open_fd", &lib.open_fd},
    {"archive_write_header", &lib.write_header},
    {"archive_write_data", &lib.write_data},
    {"archive_write_close", &lib.write_close},
    {"archive_errno", &lib.error_number},
    {"archive_entry_new", &lib.entry_new},
    {"archive_entry_free", &lib.entry_free},
    {"archive_entry_set_pathname", &lib.set_pathname},
    {"archive_entry_set_symlink", &lib.set_symlink},
    {"archive_entry_set_filetype", &lib.set_filetype},
    {"archive_entry_set_perm", &lib.set_perm},
    {"archive_entry_set_size", &lib.set_size},
};

static const struct {
    const char *end, *filter;
} packings[] = {
    {".tar", "archive_write_add_filter_none"},
    {".tar.gz", "archive_write_add_filter_gzip"},
    {".tar.xz", "archive_write_add_filter_xz"},
    {".tar.zst", "archive_write_add_filter_zstd"},
};

struct cua_pack {
    struct archive *handle;
    char part[1 << 16];
};

static bool load(void *handle)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *function = dlsym(handle, functions[i].name);
        if (!function)
            return false;
        memcpy(functions[i].function, &function, sizeof function);
    }
    return true;
}

static int error_of(const struct cua_pack *pack)
{
    int error = lib.error_number(pack->handle);

    return error > 0 ? -error : -EIO;
}

/* Finds libarchive's function for the compression that the end of `name` asks for; for .tar,
 * archive_write_add_filter_none. *filter receives it, or NULL if this libarchive lacks it. False if
 * `name` ends in none of `packings`. */
static bool find_filter(void *library, const char *name, int (**filter)(struct archive *))
{
    for (size_t i = 0; i < sizeof packings / sizeof *packings; i++) {
        if (!cua_ends(name, packings[i].end))
            continue;
        void *function = dlsym(library, packings[i].filter);
        memcpy(filter, &function, sizeof function);
        return true;
    }
    return false;
}

struct cua_pack *cua_pack_open(int fd, const char *name, const char **why)
{
    void *library = cua_archive_library(why);
    int (*filter)(struct archive *) = NULL;
    struct cua_pack *pack;

    if (!library)
        return NULL;
    *why = "this libarchive.so.13 lacks functions of libarchive 3.0";
    if (!load(library))
        return NULL;
    *why = "its name must end in .tar, .tar.gz, .tar.xz or .tar.zst";
    if (!find_filter(library, name, &filter))
        return NULL;
    *why = "out of memory";
    pack = calloc(1, sizeof *pack);
    if (!pack || !(pack->handle = lib.write_new())) {
        free(pack);
        return NULL;
    }
    *why = "this libarchive.so.13 cannot compress that way: let the name end in .tar";
    if (filter && filter(pack->handle) == OK) {
        *why = "libarchive cannot begin the archive";
        if (lib.set_format(pack->handle) == OK && lib.open_fd(pack->handle, fd) == OK)
            return pack;
    }
    lib.write_free(pack->handle);
    free(pack);
    return NULL;
}

static int write_head(struct cua_pack *pack, const char *path, const char *target, uint64_t size)
{
    struct archive_entry *entry = lib.entry_new();
    int rc;

    if (!entry)
        return -ENOMEM;
    lib.set_pathname(entry, path);
    lib.set_filetype(entry, target ? S_IFLNK : S_IFREG);
    lib.set_perm(entry, target ? 0777 : 0644);
    lib.set_size(entry, (int64_t)size);
    if (target)
        lib.set_symlink(entry, target);
    rc = lib.write_header(pack->handle, entry) == OK ? 0 : error_of(pack);
    lib.entry_free(entry);
    return rc;
}

int cua_pack_file(struct cua_pack *pack, const char *path, int from, uint64_t size)
{
    int rc = write_head(pack, path, NULL, size);

    while (!rc && size) {
        size_t most = size < sizeof pack->part ? (size_t)size : sizeof pack->part;
        ssize_t n = read(from, pack->part, most);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            rc = n ? -errno : -EIO; /* the file became shorter */
        else if (lib.write_data(pack->handle, pack->part, (size_t)n) != n)
            rc = error_of(pack);
        size -= n > 0 ? (uint64_t)n : 0;
    }
    return rc;
}

int cua_pack_link(struct cua_pack *pack, const char *path, const char *target)
{
    return write_head(pack, path, target, 0);
}

int cua_pack_close(struct cua_pack *pack)
{
    int rc;

    if (!pack)
        return 0;
    rc = lib.write_close(pack->handle) == OK ? 0 : error_of(pack);
    lib.write_free(pack->handle);
    free(pack);
    return rc;
}
