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

static bool is_number(const char *what)
{
    return what[0] && !what[strspn(what, "0123456789.")];
}

static bool is_sum(const char *text)
{
    return strlen(text) == 64 && !text[strspn(text, "0123456789abcdef")];
}

/* Plans without --url: if only the sum was given, takes the name that NVIDIA gives to the archive
 * of that driver. */
static bool plan_unlisted(struct cua_add *add, struct cua_store *store, const char *base)
{
    struct cua_package named = {.version = add->version, .kind = CUA_PACKAGE_DRIVER};

    if (!add->sha256)
        return cua_store_refuse(
            store, "cuarbiter does not know its checksum; pass its address and checksum with --url "
                   "and --sha256, or download the file and add that");
    if (add->url)
        return cua_copy(add->address, sizeof add->address, add->url) ||
               cua_store_refuse(store, "the address is too long");
    if (!cua_version_known(&add->version))
        return cua_store_refuse(
            store,
            "cuarbiter does not know this CUDA version: pass the archive's address with --url");
    cua_copy(named.arch, sizeof named.arch, cua_package_arch());
    return cua_package_url(&named, base, add->address, sizeof add->address) ||
           cua_store_refuse(store, "the address is too long");
}

static bool plan_fetch(struct cua_add *add, struct cua_store *store)
{
    const char *base = add->mirror && add->mirror[0] ? add->mirror : CUA_PACKAGE_BASE;
    unsigned cuda = cua_cuda_parse(add->what);
    const char *arch = cua_package_arch();
    bool parsed = cua_version_parse(&add->version, add->what) == strlen(add->what);

    if (parsed && add->version.part[0] >= 100) {
        add->package = cua_package_by_version(arch, &add->version);
    } else if (cuda) {
        add->package = cua_package_by_cuda(arch, cuda);
        memset(&add->version, 0, sizeof add->version);
    } else {
        return cua_store_refuse(store,
                                "neither a CUDA version (13.2) nor a driver version (595.45.04)");
    }
    if (!add->package) {
        if (!plan_unlisted(add, store, base))
            return false;
        return cua_copy(add->sum, sizeof add->sum, add->sha256);
    }
    add->version = add->package->version;
    if (add->sha256 && strcmp(add->sha256, add->package->sha256))
        return cua_store_refuse(store, "--sha256 is not the known checksum of %s: %s",
                                add->version.text, add->package->sha256);
    cua_copy(add->sum, sizeof add->sum, add->package->sha256);
    return (add->url ? cua_copy(add->address, sizeof add->address, add->url)
                     : cua_package_url(add->package, base, add->address, sizeof add->address)) ||
           cua_store_refuse(store, "the address is too long");
}

bool cua_add_plan(struct cua_add *add, struct cua_store *store)
{
    struct stat st;

    if (add->sha256 && !is_sum(add->sha256))
        return cua_store_refuse(store, "--sha256 needs 64 hexadecimal digits in lower case");
    if (!add->imports && is_number(add->what)) {
        add->kind = CUA_ADD_FETCH;
        return plan_fetch(add, store) &&
               (cua_starts(add->address, "https://") || cua_starts(add->address, "http://") ||
                cua_store_refuse(store,
                                 "%s: the address must begin with https://, or with http:// if the "
                                 "checksum is known",
                                 add->address));
    }
    if (add->url)
        return cua_store_refuse(store, "--url needs a CUDA version or a driver version as well");
    if (cua_stat(add->what, &st))
        return cua_store_refuse(store, "%s", strerror(errno));
    add->kind = S_ISDIR(st.st_mode) ? CUA_ADD_FOLDER : CUA_ADD_FILE;
    if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
        return cua_store_refuse(store, "neither a file nor a folder");
    if (add->imports && add->kind == CUA_ADD_FOLDER)
        return cua_store_refuse(store,
                                "a folder: import takes a file that 'cuarbiter driver export' "
                                "wrote; add takes folders");
    if (add->sha256 && add->kind == CUA_ADD_FOLDER)
        return cua_store_refuse(store, "--sha256 is for archives, and this is a folder");
    cua_copy(add->sum, sizeof add->sum, add->sha256 ? add->sha256 : "");
    return cua_copy(add->address, sizeof add->address, add->what) ||
           cua_store_refuse(store, "its name is too long");
}

/* Copies the archive first if it is a file that could change while it is read. */
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

/* Takes the archive as it is now, and checks its sum before anything is unpacked. */
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
    if (add->imports) /* its manifest says the rest */
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

/* What the store already has under this version; CUA_ADDED if it has nothing. */
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
    cua_store_refuse(
        store,
        "%s is already there but incomplete; remove it first: cuarbiter driver remove --now %s",
        version, version);
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
           cua_store_refuse(stage->store, "you asked for %s, but it contains %s", add->version.text,
                            stage->version.text);
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
