/* SPDX-License-Identifier: Apache-2.0 */
#include "store/add.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "base/text.h"
#include "machine/subject.h"
#include "store/fetch.h"
#include "store/finish.h"
#include "store/export.h"
#include "store/unpack.h"
#include "tables/load.h"
#include "tables/tables.h"

#define ARCHIVE "archive"

/* Copies an archive that is a local file to `to`, because the original could change after its
 * checksum was computed. */
static bool copy_file(const struct cua_add *add, struct cua_store *store, int to)
{
    static char part[1 << 16];
    uint64_t size = 0;
    ssize_t n;
    int from = open(add->what, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

    if (from < 0)
        return cua_store_refuse(store, "%s", strerror(errno));
    errno = 0;
    while ((n = read(from, part, sizeof part)) > 0 && (size += (uint64_t)n) <= CUA_DOWNLOAD_BYTES &&
           cua_write_all(to, part, (uint64_t)n))
        ;
    int error = errno;
    close(from);
    if (size > CUA_DOWNLOAD_BYTES)
        return cua_store_refuse(store, "it is larger than %llu GiB, too large for a driver",
                                CUA_DOWNLOAD_BYTES >> 30);
    return n == 0 || cua_store_refuse(store, "%s", strerror(error));
}

/* Copies or downloads the archive into the staging folder `stage`. manifest->archive receives its
 * checksum. If add->sum is not "", the checksum must be the same. Returns a descriptor of the copy;
 * -1, with the reason in store->why. */
static int take_archive(struct cua_add *add, struct cua_store *store, int stage,
                        struct cua_manifest *manifest)
{
    char why[CUA_REFUSAL / 2];
    int fd = openat(stage, ARCHIVE, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool got;

    if (fd < 0) {
        cua_store_refuse(store, "%s", strerror(errno));
        return -1;
    }
    if (add->kind == CUA_ADD_FILE) {
        got = copy_file(add, store, fd);
    } else {
        got = cua_fetch(add->address, add->sum[0] && cua_starts(add->address, "http://"), add->bar,
                        fd, why, sizeof why);
        if (!got)
            cua_store_refuse(store, "%.500s: %s", add->address, why);
    }
    int error = got ? cua_sha256_file(fd, manifest->archive) : 0;
    if (error)
        got = cua_store_refuse(store, "%s", strerror(-error));
    if (got && add->sum[0] && strcmp(add->sum, manifest->archive))
        got = cua_store_refuse(
            store, "%.500s%sits checksum is %s, but it should be %s: nothing was unpacked",
            add->kind == CUA_ADD_FETCH ? add->address : "", add->kind == CUA_ADD_FETCH ? ": " : "",
            manifest->archive, add->sum);
    if (got)
        return fd;
    close(fd);
    return -1;
}

static bool unpack(struct cua_stage *stage, int archive)
{
    int ends[2], status;

    if (pipe2(ends, O_CLOEXEC))
        return cua_store_refuse(stage->store, "%s", strerror(errno));
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        signal(SIGPIPE, SIG_DFL);
        cua_unpack(archive, ends[1]);
    }
    int error = errno;
    close(ends[1]);
    bool taken = child > 0 ? cua_stage_stream(stage, ends[0])
                           : cua_store_refuse(stage->store, "%s", strerror(error));
    close(ends[0]);
    if (child > 0)
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
    return taken;
}

static void tell_of(const struct cua_add *add, struct cua_manifest *manifest,
                    const struct cua_stage *stage)
{
    unsigned cuda = stage->cuda;
    time_t now = time(NULL);

    if (!cuda)
        cuda = cua_data_umd_cuda(cua_data_for(&cua_here), &stage->version);
    if (cuda)
        cua_cuda_text(cuda, manifest->cuda);
    if (add->imports) /* cua_import has taken the rest from the file's manifest */
        return;
    const struct cua_package *known =
        manifest->archive[0] ? cua_package_by_sum(manifest->archive) : NULL;
    cua_copy(manifest->kind, sizeof manifest->kind,
             known ? cua_package_kind_word(known->kind) : "");
    cua_copy(manifest->source, sizeof manifest->source, add->address);
    if (add->kind == CUA_ADD_FETCH)
        cua_copy(manifest->licence, sizeof manifest->licence, CUA_PACKAGE_LICENCE);
    strftime(manifest->added, sizeof manifest->added, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
}

/* Looks for this version in the store. Returns CUA_ADDED if the store does not have the driver,
 * CUA_ADDED_BEFORE if the store has it, CUA_ADDED_AGAIN if it was removed and this call has
 * restored it. Returns CUA_ADD_FAILED if the driver cannot be restored, is incomplete, or cannot be
 * trusted or opened. */
static enum cua_added is_there(struct cua_store *store, const char *version)
{
    static struct cua_manifest manifest;
    char wrong[CUA_MEMBER_NAME];
    int state = cua_store_read(store, version, &manifest, wrong);

    if (state == -ENOENT)
        return CUA_ADDED;
    if (state == CUA_BROUGHT_WHOLE)
        return CUA_ADDED_BEFORE;
    if (state == CUA_BROUGHT_REMOVED)
        return cua_store_restore(store, version) ? CUA_ADDED_AGAIN : CUA_ADD_FAILED;
    if (state < 0)
        cua_store_refuse(store, "%s: %s", version, strerror(-state));
    else
        cua_store_refuse(
            store,
            "%s is already there, but %s; remove it first: cuarbiter driver --store %.500s remove "
            "--now %s",
            version, state == CUA_BROUGHT_HALF ? "incomplete" : CUA_STORE_OTHERS, store->path,
            version);
    return CUA_ADD_FAILED;
}

static bool make(struct cua_add *add, struct cua_stage *stage, struct cua_manifest *manifest)
{
    if (add->kind == CUA_ADD_FOLDER) {
        if (!cua_stage_folder(stage, add->what))
            return false;
    } else {
        int archive = take_archive(add, stage->store, stage->dir, manifest);
        bool unpacked = archive >= 0 && unpack(stage, archive);
        if (archive >= 0)
            close(archive);
        if (!unpacked)
            return false;
        if (unlinkat(stage->dir, ARCHIVE, 0))
            return cua_store_refuse(stage->store, "%s", strerror(errno));
    }
    if (!cua_stage_finish(stage, manifest) || (add->imports && !cua_import(stage, manifest)))
        return false;
    return !cua_version_known(&add->version) ||
           cua_version_compare(&add->version, &stage->version) == 0 ||
           cua_store_refuse(stage->store, "the archive should contain %s, but it contains %s",
                            add->version.text, stage->version.text);
}

enum cua_added cua_add_run(struct cua_add *add, struct cua_store *store,
                           struct cua_manifest *manifest)
{
    struct cua_stage *stage = calloc(1, sizeof *stage);
    enum cua_added there = CUA_ADDED;
    int error;

    memset(manifest, 0, sizeof *manifest);
    if (cua_version_known(&add->version))
        there = is_there(store, add->version.text);
    cua_copy(manifest->version, sizeof manifest->version, add->version.text);
    if (there != CUA_ADDED || !stage) {
        free(stage);
        return there == CUA_ADDED ? CUA_ADD_FAILED : there;
    }
    manifest->version[0] = '\0';
    stage->store = store;
    stage->imports = add->imports;
    stage->dir = cua_store_stage(store);
    bool made = stage->dir >= 0 && make(add, stage, manifest) &&
                (add->package || !add->accept ||
                 add->accept(add->data, store, &stage->version, stage->cuda));
    if (made && !add->dry)
        there = is_there(store, manifest->version);
    if (made && !add->dry && there == CUA_ADDED) {
        tell_of(add, manifest, stage);
        error = cua_manifest_write(manifest, stage->dir);
        made = error ? cua_store_refuse(store, "%s", strerror(-error))
                     : cua_store_publish(store, stage->dir, manifest->version);
    }
    if (stage->dir >= 0)
        close(stage->dir);
    cua_store_drop(store);
    free(stage);
    return made ? there : CUA_ADD_FAILED;
}
