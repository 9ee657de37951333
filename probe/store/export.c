/* SPDX-License-Identifier: Apache-2.0 */
#include "store/export.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "base/text.h"
#include "machine/pack.h"

#define NO_REPLACE 1u /* the value of RENAME_NOREPLACE */

static int pack_file(struct cua_pack *pack, int dir, const char *version, const char *name)
{
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), rc;
    char path[CUA_VERSION_TEXT + CUA_MEMBER_NAME];
    struct stat st;

    if (fd < 0)
        return -errno;
    snprintf(path, sizeof path, "%s/%s", version, name);
    rc = cua_fstat(fd, &st) ? -errno : cua_pack_file(pack, path, fd, (uint64_t)st.st_size);
    close(fd);
    return rc;
}

static int pack_all(struct cua_pack *pack, int dir, const struct cua_manifest *manifest)
{
    char path[CUA_VERSION_TEXT + CUA_MEMBER_NAME];
    int rc = pack_file(pack, dir, manifest->version, CUA_STORE_MANIFEST);

    for (unsigned i = 0; !rc && i < manifest->files; i++) {
        const struct cua_manifest_file *file = &manifest->file[i];
        snprintf(path, sizeof path, "%s/%s", manifest->version, file->name);
        rc = file->target[0] ? cua_pack_link(pack, path, file->target)
                             : pack_file(pack, dir, manifest->version, file->name);
    }
    return rc;
}

/* Opens, locks and empties `part`, which is renamed to the export's final name when it is complete.
 * A killed export may have left this file. -1, with the reason in store->why. */
static int open_part(struct cua_store *store, const char *part)
{
    int fd = open(part, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);

    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && ftruncate(fd, 0) == 0)
        return fd;
    cua_store_refuse(store, "%s: %s", part,
                     fd >= 0 && errno == EWOULDBLOCK ? "another export is writing it"
                                                     : strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Renames `part` to `file`, unless `file` exists by now. Some file systems, such as NFS, cannot do
 * that at once; there a file that has just appeared is replaced. */
static int place(const char *part, const char *file)
{
    if (syscall(SYS_renameat2, AT_FDCWD, part, AT_FDCWD, file, NO_REPLACE) == 0)
        return 0;
    return errno != EEXIST && rename(part, file) == 0 ? 0 : -errno;
}

static bool write_part(struct cua_store *store, int dir, const struct cua_manifest *manifest,
                       const char *file, const char *part)
{
    int fd = open_part(store, part), rc, end;
    struct cua_pack *pack;
    const char *why;

    if (fd < 0)
        return false;
    pack = cua_pack_open(fd, file, &why);
    rc = pack ? pack_all(pack, dir, manifest) : 0;
    end = cua_pack_close(pack);
    rc = rc ? rc : end;
    if (pack && !rc)
        rc = fsync(fd) ? -errno : place(part, file);
    if (!pack || rc)
        unlink(part);
    close(fd);
    if (rc == -EEXIST)
        return cua_store_refuse(store, "%s is already there", file);
    return (pack && !rc) || cua_store_refuse(store, "%s: %s", file, pack ? strerror(-rc) : why);
}

static bool export_whole(struct cua_store *store, const struct cua_manifest *manifest,
                         const char *file)
{
    char why[2 * CUA_MEMBER_NAME], part[PATH_MAX];
    const char *damage;
    bool written;
    int dir;

    if (access(file, F_OK) == 0)
        return cua_store_refuse(store, "%s is already there", file);
    if (snprintf(part, sizeof part, "%s.part", file) >= (int)sizeof part)
        return cua_store_refuse(store, "the file's name is too long");
    dir = openat(store->fd, manifest->version, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0)
        return cua_store_refuse(store, "%s", strerror(errno));
    damage = cua_manifest_check(manifest, dir, why, sizeof why);
    written = damage ? cua_store_refuse(store, "damaged: %s", damage)
                     : write_part(store, dir, manifest, file, part);
    close(dir);
    return written;
}

bool cua_export(struct cua_store *store, const char *version, const char *file)
{
    struct cua_manifest *manifest = calloc(1, sizeof *manifest);
    char wrong[CUA_MEMBER_NAME];
    int state = manifest ? cua_store_read(store, version, manifest, wrong) : -ENOMEM;
    bool written = false;

    if (state == -ENOENT)
        cua_store_refuse(store, "%s does not have it", store->path);
    else if (state == CUA_BROUGHT_OTHERS)
        cua_store_refuse(store, "%s: " CUA_STORE_OTHERS, wrong);
    else if (state != CUA_BROUGHT_WHOLE)
        cua_store_refuse(store, "%s",
                         state == CUA_BROUGHT_REMOVED ? "it was removed"
                         : state < 0                  ? strerror(-state)
                                     : "incomplete: its manifest is missing or cannot be read");
    else if (strcmp(manifest->version, version))
        cua_store_refuse(store, "damaged: its manifest names driver '%s'", manifest->version);
    else
        written = export_whole(store, manifest, file);
    free(manifest);
    return written;
}

static const struct cua_manifest_file *find(const struct cua_manifest *manifest, const char *name)
{
    for (unsigned i = 0; i < manifest->files; i++)
        if (!strcmp(manifest->file[i].name, name))
            return &manifest->file[i];
    return NULL;
}

/* Whether each file that `a` lists is listed in `b` with the same content. If not, store->why
 * receives the reason. */
static bool are_in(struct cua_store *store, const struct cua_manifest *a,
                   const struct cua_manifest *b)
{
    for (unsigned i = 0; i < a->files; i++) {
        const struct cua_manifest_file *file = &a->file[i], *other = find(b, file->name);
        if (!other || strcmp(other->target, file->target) || strcmp(other->sha256, file->sha256))
            return cua_store_refuse(store,
                                    "%s differs from the file's manifest: damaged, or not written "
                                    "by 'cuarbiter driver export'",
                                    file->name);
    }
    return true;
}

/* Copies the origin of the driver (kind, address, checksum, date, licence) from `theirs`, if both
 * manifests are of the same version and list the same files with the same content. Otherwise false,
 * with the reason in store->why. */
static bool take_over(struct cua_store *store, struct cua_manifest *manifest,
                      const struct cua_manifest *theirs)
{
    if (strcmp(theirs->version, manifest->version))
        return cua_store_refuse(store, "its manifest names driver '%s', but it contains %s",
                                theirs->version, manifest->version);
    if (!are_in(store, manifest, theirs) || !are_in(store, theirs, manifest))
        return false;
    cua_copy(manifest->kind, sizeof manifest->kind, theirs->kind);
    cua_copy(manifest->source, sizeof manifest->source, theirs->source);
    cua_copy(manifest->archive, sizeof manifest->archive, theirs->archive);
    cua_copy(manifest->added, sizeof manifest->added, theirs->added);
    cua_copy(manifest->licence, sizeof manifest->licence, theirs->licence);
    return true;
}

bool cua_import(struct cua_stage *stage, struct cua_manifest *manifest)
{
    struct cua_manifest *theirs = calloc(1, sizeof *theirs);
    int rc = theirs ? cua_manifest_read(theirs, stage->dir, CUA_STAGE_MANIFEST) : -ENOMEM;
    bool same = false;

    if (rc == -ENOENT)
        cua_store_refuse(stage->store,
                         "it has no manifest, so 'cuarbiter driver export' did not write it; try "
                         "'cuarbiter driver add'");
    else if (rc)
        cua_store_refuse(stage->store, "its manifest: %s",
                         rc == -EINVAL ? "damaged" : strerror(-rc));
    else
        same = take_over(stage->store, manifest, theirs);
    free(theirs);
    if (same && unlinkat(stage->dir, CUA_STAGE_MANIFEST, 0))
        same = cua_store_refuse(stage->store, "%s", strerror(errno));
    return same;
}
