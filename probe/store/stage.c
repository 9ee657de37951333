/* SPDX-License-Identifier: Apache-2.0 */
#include "store/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/listing.h"
#include "base/oldstat.h"
#include "base/text.h"

static bool refuse_errno(struct cua_stage *stage, const char *what)
{
    return cua_store_refuse(stage->store, "%s: %s", what, strerror(errno));
}

/* Copies file->size bytes from `from`, a file or the pipe of the child that unpacks, to `to`, and
 * computes their checksum. `to` -1: reads them without writing them. */
static bool take_bytes(struct cua_stage *stage, int from, int to, struct cua_staged *file)
{
    static char part[1 << 16];
    struct cua_sha256 sum;

    cua_sha256_begin(&sum);
    for (uint64_t left = file->size; left;) {
        size_t n = left < sizeof part ? (size_t)left : sizeof part;
        if (!cua_read_all(from, part, n))
            return cua_store_refuse(stage->store, "%s: it cannot be read to its end", file->name);
        if (to >= 0 && !cua_write_all(to, part, n))
            return refuse_errno(stage, file->name);
        cua_sha256_add(&sum, part, n);
        left -= n;
    }
    cua_sha256_end(&sum, file->sha256);
    return to < 0 || (fchmod(to, 0644) == 0 && fsync(to) == 0) || refuse_errno(stage, file->name);
}

static bool find_folder(struct cua_stage *stage, const char *folder, unsigned *at)
{
    for (*at = 0; *at < stage->folders; ++*at)
        if (!strcmp(stage->folder[*at], folder))
            return true;
    return stage->folders < CUA_STAGE_FOLDERS &&
           cua_copy(stage->folder[stage->folders++], sizeof *stage->folder, folder);
}

static void staged_name(char *out, size_t size, const struct cua_staged *file)
{
    snprintf(out, size, "%u-%s", file->folder, file->name);
}

/* Copies a library of `size` bytes from `from` to the staging folder, as INDEX-NAME (stage.h).
 * `path`: its path in the archive or folder. */
static bool take_library(struct cua_stage *stage, const char *path, uint64_t size, int from)
{
    struct cua_staged *file = &stage->file[stage->files];
    const char *name = cua_basename(path);
    char folder[512], here[CUA_MEMBER_NAME + 16];

    if (stage->files == CUA_MEMBERS_MOST || stage->bytes + size > CUA_MEMBERS_BYTES)
        return cua_store_refuse(stage->store,
                                "it contains too many or too large libraries for a driver");
    if (!cua_copy(file->name, sizeof file->name, name) ||
        !cua_copy_n(folder, sizeof folder, path, (size_t)(name - path)) ||
        !find_folder(stage, folder, &file->folder))
        return cua_store_refuse(
            stage->store,
            "%.200s: this path is too long, or the libraries lie in more than %d folders", path,
            CUA_STAGE_FOLDERS);
    file->size = size;
    staged_name(here, sizeof here, file);
    int to = openat(stage->dir, here, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (to < 0)
        return errno == EEXIST ? cua_store_refuse(stage->store, "it contains %.200s twice", path)
                               : refuse_errno(stage, name);
    bool taken = take_bytes(stage, from, to, file);
    close(to);
    stage->bytes += size;
    stage->files++;
    return taken;
}

/* Copies a licence from `from`. Of several, keeps the one with the fewest folders in its path,
 * which is for the whole archive. */
static bool take_licence(struct cua_stage *stage, const char *path, uint64_t size, int from)
{
    struct cua_staged file = {.name = CUA_LICENCE, .size = size};
    unsigned depth = 1;

    for (const char *c = path; *c; c++)
        depth += *c == '/';
    bool better = !stage->depth || depth < stage->depth;
    if (!better)
        return take_bytes(stage, from, -1, &file);
    int to = openat(stage->dir, CUA_LICENCE, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
                    0600);
    if (to < 0)
        return refuse_errno(stage, CUA_LICENCE);
    stage->depth = depth;
    bool taken = take_bytes(stage, from, to, &file);
    close(to);
    return taken;
}

/* Copies the manifest of an imported driver from `from`; skips any other manifest. */
static bool take_manifest(struct cua_stage *stage, uint64_t size, int from)
{
    struct cua_staged file = {.name = CUA_STORE_MANIFEST, .size = size};
    int to = -1;

    if (stage->imports) {
        to = openat(stage->dir, CUA_STAGE_MANIFEST,
                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (to < 0)
            return errno == EEXIST ? cua_store_refuse(stage->store, "it contains two manifests")
                                   : refuse_errno(stage, CUA_STORE_MANIFEST);
    }
    bool taken = take_bytes(stage, from, to, &file);
    if (to >= 0)
        close(to);
    return taken;
}

bool cua_stage_stream(struct cua_stage *stage, int pipe)
{
    struct cua_stream_head head;
    char text[4096];

    for (;;) {
        if (!cua_read_all(pipe, &head, sizeof head) || head.name >= sizeof text ||
            !cua_read_all(pipe, text, head.name))
            return cua_store_refuse(stage->store, "unpacking stopped before its end");
        text[head.name] = '\0';
        if (head.kind == CUA_STREAM_END)
            return true;
        if (head.kind != CUA_STREAM_FILE)
            return cua_store_refuse(stage->store, "%s", text);
        /* The child is not trusted: check everything that it sends. */
        enum cua_member kind = cua_member_of(cua_basename(text));
        bool taken = kind == CUA_MEMBER_LIBRARY && head.size <= CUA_MEMBER_BYTES
                         ? take_library(stage, text, head.size, pipe)
                     : kind == CUA_MEMBER_LICENCE && head.size <= CUA_LICENCE_BYTES
                         ? take_licence(stage, text, head.size, pipe)
                     : kind == CUA_MEMBER_MANIFEST && head.size <= CUA_LICENCE_BYTES
                         ? take_manifest(stage, head.size, pipe)
                         : cua_store_refuse(stage->store, "it could not be unpacked");
        if (!taken)
            return false;
    }
}

struct listed {
    struct cua_stage *stage;
    int dir;
    const char *folder;
    bool failed;
};

static int take_name(void *data, const char *name, unsigned char type)
{
    struct listed *listed = data;
    enum cua_member kind = cua_member_of(name);
    char path[CUA_MEMBER_NAME + 16];
    struct stat st;

    (void)type;
    if (kind == CUA_MEMBER_NONE || kind == CUA_MEMBER_MANIFEST)
        return 0;
    int fd = openat(listed->dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && errno == ELOOP)
        return 0; /* skip links: cua_stage_finish makes new ones */
    if (fd < 0 || cua_fstat(fd, &st)) {
        listed->failed = true;
        refuse_errno(listed->stage, name);
    } else if (S_ISREG(st.st_mode)) {
        snprintf(path, sizeof path, "%s%s", listed->folder, name);
        if ((uint64_t)st.st_size >
            (kind == CUA_MEMBER_LICENCE ? CUA_LICENCE_BYTES : CUA_MEMBER_BYTES))
            listed->failed = !cua_store_refuse(
                listed->stage->store, "%s: %lld bytes is no plausible size for a %s", name,
                (long long)st.st_size, kind == CUA_MEMBER_LICENCE ? "licence" : "driver library");
        else
            listed->failed = kind == CUA_MEMBER_LICENCE
                                 ? !take_licence(listed->stage, path, (uint64_t)st.st_size, fd)
                                 : !take_library(listed->stage, path, (uint64_t)st.st_size, fd);
    }
    if (fd >= 0)
        close(fd);
    return listed->failed;
}

bool cua_stage_folder(struct cua_stage *stage, const char *path)
{
    static const char *const folders[] = {"", "compat/", "lib/", "lib64/"};
    int top = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (top < 0)
        return cua_store_refuse(stage->store, "%s", strerror(errno));
    struct listed listed = {stage, top, "", false};
    for (unsigned i = 0; i < sizeof folders / sizeof *folders && !listed.failed; i++) {
        listed.folder = folders[i];
        listed.dir = i ? openat(top, folders[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC) : top;
        if (listed.dir < 0)
            continue;
        cua_list(openat(listed.dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), take_name, &listed);
        if (i)
            close(listed.dir);
    }
    close(top);
    for (unsigned i = 0; i < stage->files && !listed.failed; i++)
        if (cua_starts(stage->file[i].name, "libcuda.so."))
            return true;
    return !listed.failed &&
           cua_store_refuse(stage->store, "neither this folder nor its compat, lib or lib64 has a "
                                          "libcuda.so.1 or libcuda.so.VERSION that is not a link");
}
