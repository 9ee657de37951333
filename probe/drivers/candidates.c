/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the candidates, the files that may be a libcuda. candidates.h explains the terms. */
#include "drivers/candidates.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/mounts.h"
#include "base/text.h"
#include "drivers/folders.h"
#include "elf/file.h"
#include "drivers/identity.h"
#include "facts/native.h"

#define MAX_UMDS 256
/* A file smaller than this is not taken for a driver by its name alone. Real drivers with a version
 * in their name have 10 MB or more; stubs, mocks, and the empty files that container runtimes leave
 * are smaller than this. */
#define DRIVER_SIZE (1 << 20)

static struct cua_umd *find(const struct cua_gatherer *g, const struct stat *st)
{
    struct cua_umd_key key = cua_umd_key_of(st);

    return cua_facts_umd(g->facts, &key);
}

/* Makes `real` the candidate's path, and records whether it is a mount point or in a compat folder.
 * False: no memory. */
static bool take_name(struct cua_gatherer *g, struct cua_umd *umd, const char *real)
{
    char *name = strdup(real), *path = strdup(cua_subject_inside(g->subject, real));
    struct stat again;

    if (!name || !path) {
        free(name);
        free(path);
        return false;
    }
    free(umd->real);
    free(umd->path);
    umd->real = name;
    umd->path = path;
    if (g->asks_mounts && !g->at.kernels)
        g->at.mount = cua_mount_at(AT_FDCWD, real, &again);
    g->asks_mounts = g->asks_mounts && g->at.mount >= 0;
    umd->found &= ~(unsigned)CUA_FOUND_MOUNT;
    umd->found |= g->asks_mounts && g->at.mount ? CUA_FOUND_MOUNT : 0;
    const char *slash = strrchr(path, '/');
    if (slash && cua_folder_is_compat(path, (size_t)(slash - path)))
        /* A compat folder counts even if the file was found by a link elsewhere. */
        umd->found |= CUA_FOUND_COMPAT;
    return true;
}

/* Creates a candidate; NULL if there are too many already, or no memory. */
static struct cua_umd *make(struct cua_gatherer *g, const char *real, const struct stat *st)
{
    struct cua_umd *umd = NULL;

    if (HASH_COUNT(g->facts->umds) >= MAX_UMDS || !(umd = calloc(1, sizeof *umd)))
        return NULL;
    umd->key = cua_umd_key_of(st);
    if (take_name(g, umd, real))
        HASH_ADD(hh, g->facts->umds, key, sizeof umd->key, umd);
    if (umd->hh.tbl)
        return umd;
    free(umd->real);
    free(umd->path);
    free(umd);
    return NULL;
}

struct mounted {
    struct cua_umd *umd;
    struct cua_version version; /* from the mounted file's name; unknown if the name has none */
};

static int read_root(void *data, const char *file, const char *root)
{
    struct mounted *mounted = data;

    if (strcmp(file, mounted->umd->path) == 0) {
        mounted->umd->found |= CUA_FOUND_MOUNT;
        /* Of several mounts on one file, the last counts: it hides the others. */
        cua_identity_named(root, &mounted->version);
    }
    return 0;
}

static void let_go(struct cua_gatherer *g)
{
    if (g->at.fd >= 0)
        close(g->at.fd);
    g->at.fd = -1;
}

/* Whether the file is an ELF file for the architecture g->machine. Not called for the loader's
 * choice if its name has the kernel driver's version (KEEP_DOUBT): ld.so itself has checked that
 * file. */
static bool is_for_here(struct cua_gatherer *g, const struct cua_umd *umd)
{
    char head[64];
    ssize_t got;

    if (g->at.fd < 0)
        g->at.fd = cua_real_open(g->subject, umd->real);
    got = pread(g->at.fd, head, sizeof head, 0);
    return got == sizeof head && cua_elf_glance(head, sizeof head, g->machine) == CUA_ELF_FINE;
}

static bool has_kmds(const struct cua_gatherer *g, const struct cua_umd *umd)
{
    const struct cua_version *kmd = &g->facts->kmd.version;

    return cua_version_known(kmd) && cua_version_compare(&umd->version, kmd) == 0;
}

/* What to do about a file that may be a mount point. The name of a mount point, and the version in
 * that name, may belong to the file that the mount hides. */
enum doubt {
    /* Do nothing: this is the loader's choice, and its name has the kernel driver's version.
     * Whether that version is right matters only if another file is to replace this one. */
    KEEP_DOUBT,
    ASK_MOUNTS,  /* find out now what is mounted there */
    MOUNTS_LAST, /* read the list of mounts at the end, for all files at once */
};

static enum doubt doubt_of(const struct cua_gatherer *g, const struct cua_umd *umd, bool sure)
{
    if (!sure && g->loaders && has_kmds(g, umd))
        return KEEP_DOUBT;
    return sure || g->asks_mounts || !g->all ? ASK_MOUNTS : MOUNTS_LAST;
}

static void ask_mounts(struct cua_gatherer *g, struct cua_umd *umd, const char *root, bool named)
{
    struct mounted mounted = {.umd = umd};

    if (root)
        read_root(&mounted, umd->path, root);
    else
        cua_mounts_each(g->subject, read_root, &mounted);
    if (cua_version_known(&mounted.version))
        umd->version = mounted.version;
    else
        umd->version_doubtful = named && umd->found & CUA_FOUND_MOUNT;
}

/* Identifies a file with as little I/O as possible. `sure`: leaves no doubt about the version,
 * whatever that costs. `root`: for a mount point, the path of the mounted file on that file's own
 * file system; NULL: not known. */
static void identify(struct cua_gatherer *g, struct cua_umd *umd, const struct stat *st,
                     const char *root, bool sure)
{
    bool named = cua_identity_named(umd->real, &umd->version);
    bool may_be_mounted = umd->found & CUA_FOUND_MOUNT || !g->asks_mounts;
    enum doubt doubt = doubt_of(g, umd, sure);

    umd->version_doubtful = false;
    if (root || (doubt == ASK_MOUNTS && may_be_mounted))
        ask_mounts(g, umd, root, named);
    umd->glanced = !g->all && !umd->version_doubtful && st->st_size >= DRIVER_SIZE &&
                   has_kmds(g, umd) && (doubt == KEEP_DOUBT || is_for_here(g, umd));
    umd->companions = umd->glanced;
    if (!umd->glanced)
        cua_identify(umd, g->subject, &g->at.fd, st, g->beside, g->machine, &g->budget);
    umd->version_doubtful = doubt == KEEP_DOUBT && may_be_mounted;
    let_go(g);
}

void cua_candidate_make_sure(struct cua_gatherer *g, struct cua_umd *umd, const char *root)
{
    struct stat st;

    if (!umd->version_from_content && umd->state == CUA_UMD_USABLE && !umd->tegra &&
        cua_real_stat(g->subject, umd->real, &st) == 0)
        identify(g, umd, &st, root, true);
}

/* Gives the candidate a trusted path, in place of one that other users can change. Then identifies
 * the file again. If there is no memory, the candidate counts as untrusted. */
static void rename_to(struct cua_gatherer *g, struct cua_umd *umd, const char *real,
                      const struct stat *st)
{
    if (!take_name(g, umd, real)) {
        umd->trusted = false;
        return;
    }
    umd->version = (struct cua_version){0};
    umd->version_from_content = umd->version_doubtful = false;
    umd->note = (struct cua_note){0};
    umd->cuda = 0;
    umd->missing[0] = 0;
    identify(g, umd, st, NULL, false);
}

/* Sets umd->trusted or umd->distrust. A trusted candidate stays trusted. Trusted without a check:
 * the loader's choice, mapped files, a file that the user named, and brought drivers. `real`: the
 * path by which the file was found this time. The first trusted path becomes the candidate's path.
 * Changes g->file. */
static void judge_trust(struct cua_gatherer *g, struct cua_umd *umd, const char *real,
                        const struct stat *st, unsigned bits)
{
    bool renamed = strcmp(real, umd->real) != 0;
    bool mounted = renamed ? g->at.kernels && g->at.mount > 0 : umd->found & CUA_FOUND_MOUNT;

    if (umd->trusted || (umd->distrust && bits & CUA_BY_RELATIVE))
        return;
    cua_copy(g->file, sizeof g->file, "a relative folder in LD_LIBRARY_PATH");
    g->trust.named = g->at.kernels;
    umd->trusted = g->loaders || bits & (CUA_FOUND_MAPPED | CUA_FOUND_NAMED | CUA_FOUND_BROUGHT) ||
                   (!(bits & CUA_BY_RELATIVE) &&
                    cua_trusted(&g->trust, g->subject, real, st, mounted, g->file));
    if (umd->trusted) {
        free(umd->distrust);
        umd->distrust = NULL;
        if (renamed)
            rename_to(g, umd, real, st);
    } else {
        g->distrusts = true;
        if (!umd->distrust)
            umd->distrust = strdup(g->file[0] ? g->file : "a path that is too long to check");
    }
}

static void tell_broken_link(struct cua_umd *umd, int error)
{
    umd->state = CUA_UMD_UNREADABLE;
    snprintf(umd->trouble, sizeof umd->trouble, "%s",
             error == -ENOENT  ? "a link to a file that is not there"
             : error == -ELOOP ? "a link that leads back to itself"
                               : strerror(-error));
}

struct cua_umd *cua_candidate_add(struct cua_gatherer *g, const char *real, const struct stat *st,
                                  unsigned bits, int error)
{
    struct cua_umd *umd = find(g, st);

    if (umd) /* CUA_FOUND_BROUGHT: found only in a store. So only a new candidate gets this bit. */
        bits &= ~(unsigned)CUA_FOUND_BROUGHT;
    if (!umd && (umd = make(g, real, st))) {
        if (error)
            tell_broken_link(umd, error);
        else
            identify(g, umd, st, NULL, false);
    }
    if (umd) {
        umd->found |= bits & ~CUA_BY_RELATIVE;
        judge_trust(g, umd, error ? umd->real : real, st, bits);
    }
    let_go(g);
    g->at.kernels = false;
    return umd;
}

struct cua_umd *cua_candidate_add_path(struct cua_gatherer *g, const struct cua_subject *subject,
                                       const char *path, unsigned bits)
{
    struct stat st;

    if (cua_subject_find(subject, path, g->path, &st, &g->at) != 0)
        return NULL;
    return cua_candidate_add(g, g->path, &st, bits, 0);
}

void cua_candidate_mounted(struct cua_gatherer *g, const char *file, const char *root)
{
    struct cua_umd *umd = NULL;
    struct stat st;

    if (cua_starts(cua_basename(file), "libcuda.so") &&
        cua_subject_stat(g->subject, file, &st) == 0)
        umd = find(g, &st);
    if (!umd || umd->found & CUA_FOUND_MOUNT)
        return;
    umd->found |= CUA_FOUND_MOUNT;
    cua_candidate_make_sure(g, umd, root);
    judge_trust(g, umd, umd->real, &st, 0);
}
