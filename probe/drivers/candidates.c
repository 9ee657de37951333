/* SPDX-License-Identifier: Apache-2.0 */
#include "drivers/candidates.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/mounts.h"
#include "base/oldstat.h"
#include "base/text.h"
#include "drivers/umd.h"
#include "drivers/folders.h"
#include "elf/file.h"
#include "drivers/identity.h"
#include "facts/native.h"

#define MAX_UMDS 256
/* Real drivers have 10 to 30 MB; stubs, mocks and what a container runtime left empty do not. */
#define DRIVER_SIZE (1 << 20)

struct cua_umd *cua_candidate_find(const struct cua_gatherer *g, const struct stat *st)
{
    struct cua_umd_key key = cua_umd_key_of(st);
    struct cua_umd *umd;

    HASH_FIND(hh, g->facts->umds, &key, sizeof key, umd);
    return umd;
}

/* The candidate of this very file; NULL where there is no room. `bits` are added to it. */
static struct cua_umd *add(struct cua_gatherer *g, const char *real, const struct stat *st,
                           unsigned bits)
{
    struct cua_umd *umd = cua_candidate_find(g, st);

    if (umd) {
        umd->found |= bits;
        return umd;
    }
    if (HASH_COUNT(g->facts->umds) >= MAX_UMDS || !(umd = calloc(1, sizeof *umd)))
        return NULL;
    umd->key = cua_umd_key_of(st);
    int mount = g->asks_mounts ? cua_mount_at(real) : -1;
    g->asks_mounts = mount >= 0;
    umd->found = bits | (mount == 1 ? CUA_FOUND_MOUNT : 0);
    umd->real = strdup(real);
    umd->path = strdup(cua_subject_inside(g->subject, real));
    const char *slash = umd->path ? strrchr(umd->path, '/') : NULL;
    if (slash && cua_folder_is_compat(umd->path, (size_t)(slash - umd->path)))
        umd->found |= CUA_FOUND_COMPAT; /* whatever link led to it */
    if (umd->real && umd->path)
        HASH_ADD(hh, g->facts->umds, key, sizeof umd->key, umd);
    if (umd->hh.tbl)
        return umd;
    free(umd->real);
    free(umd->path);
    free(umd);
    return NULL;
}

struct mount {
    const char *file;
    struct cua_version *version;
    bool found;
};

static int read_root(void *data, const char *file, const char *root)
{
    struct mount *mount = data;

    if (strcmp(file, mount->file) == 0) {
        mount->found = true;
        cua_identity_named(root, mount->version); /* the last one counts: it hides the others */
    }
    return 0;
}

/* True if the file is a mount point; then `version` is that of what is mounted there, if its name
 * tells. */
static bool ask_root(struct cua_gatherer *g, struct cua_umd *umd, struct cua_version *version)
{
    struct mount mount = {umd->path, version, false};

    if (g->asks_mounts && !(umd->found & CUA_FOUND_MOUNT))
        return false;
    cua_mounts_each(g->subject, read_root, &mount);
    umd->found |= mount.found ? CUA_FOUND_MOUNT : 0;
    return mount.found || umd->found & CUA_FOUND_MOUNT;
}

void cua_candidate_make_sure(struct cua_gatherer *g, struct cua_umd *umd, const char *root)
{
    struct cua_version version = {.text = ""};
    struct stat st;

    if (umd->version_from_content || umd->state != CUA_UMD_USABLE || umd->tegra)
        return;
    bool mounted = root || ask_root(g, umd, &version);

    if (root)
        cua_identity_named(root, &version);
    umd->version_doubtful = mounted && !cua_version_known(&version);
    if (mounted && !umd->version_doubtful && cua_version_compare(&version, &umd->version) != 0)
        umd->version = version;
    else if (!umd->version_doubtful && !(umd->glanced && g->all))
        return;
    umd->glanced = false;
    if (cua_subject_stat(g->subject, cua_subject_inside(g->subject, umd->real), &st) == 0)
        cua_umd_identify(umd, g->subject, &st, g->machine);
    umd->version_doubtful = false;
}

/* The loader has looked at its choice itself. */
static bool is_for_here(struct cua_gatherer *g, const struct cua_umd *umd)
{
    int fd = cua_subject_open(g->subject, cua_subject_inside(g->subject, umd->real));
    char head[64];
    ssize_t got;

    if (fd < 0)
        return false;
    got = pread(fd, head, sizeof head, 0);
    close(fd);
    return got == sizeof head && cua_elf_glance(head, sizeof head, g->machine) == CUA_ELF_FINE;
}

/* What it is, by the least that tells. A name that says native keeps the loader's choice, doubtful
 * or not: that is made sure of when it matters. */
static void identify(struct cua_gatherer *g, struct cua_umd *umd, const struct stat *st)
{
    const struct cua_version *kmd = &g->facts->kmd.version;
    bool named = cua_identity_named(umd->real, &umd->version);
    bool keep = named && g->in_doubt && cua_version_compare(&umd->version, kmd) == 0;
    bool told = g->asks_mounts || !g->all;

    if (!keep && told && ask_root(g, umd, &umd->version) && named)
        umd->version_doubtful = !cua_version_known(&umd->version);
    if (umd->version_doubtful)
        cua_identity_named(umd->real, &umd->version);
    umd->glanced = !g->all && !umd->version_doubtful && st->st_size >= DRIVER_SIZE &&
                   cua_version_known(kmd) && cua_version_compare(&umd->version, kmd) == 0 &&
                   (keep || is_for_here(g, umd));
    umd->companions = umd->glanced;
    if (!umd->glanced)
        cua_umd_identify(umd, g->subject, st, g->machine);
    umd->version_doubtful = keep && (umd->found & CUA_FOUND_MOUNT || !g->asks_mounts);
}

struct cua_umd *cua_candidate_add(struct cua_gatherer *g, const char *real, const struct stat *st,
                                  unsigned bits)
{
    unsigned known = HASH_COUNT(g->facts->umds);
    struct cua_umd *umd = add(g, real, st, bits);

    if (umd && HASH_COUNT(g->facts->umds) > known)
        identify(g, umd, st);
    return umd;
}

void cua_candidate_add_link(struct cua_gatherer *g, const char *link, int error, unsigned bits)
{
    struct cua_umd *umd;
    struct stat st;

    if (cua_real_lstat(g->subject, link, &st) != 0 || !(umd = add(g, link, &st, bits)))
        return;
    umd->state = CUA_UMD_UNREADABLE;
    snprintf(umd->trouble, sizeof umd->trouble, "%s",
             error == -ENOENT  ? "a link to a file that is not there"
             : error == -ELOOP ? "a link that leads back to itself"
                               : strerror(-error));
}

struct cua_umd *cua_candidate_add_path(struct cua_gatherer *g, const struct cua_subject *subject,
                                       const char *path, unsigned bits)
{
    struct stat st;

    if (cua_subject_resolve_stat(subject, path, g->path, &st) != 0)
        return NULL;
    return cua_candidate_add(g, g->path, &st, bits);
}

/* What ld.so opens, or was told to open, is the user's own choice already. Where it is not trusted
 * g->path says why. */
static bool is_trusted(struct cua_gatherer *g, const struct cua_umd *umd)
{
    unsigned bits = umd->found;

    if (umd == g->facts->loader || bits & (CUA_FOUND_MAPPED | CUA_FOUND_NAMED))
        return true;
    if (bits & CUA_BY_ABSOLUTE)
        return cua_trusted(&g->trust, g->subject, umd->real, bits & CUA_FOUND_MOUNT, g->path);
    cua_copy(g->path, sizeof g->path, "a relative entry of LD_LIBRARY_PATH");
    return false;
}

void cua_candidates_judge_trust(struct cua_gatherer *g)
{
    struct cua_umd *umd, *next;

    HASH_ITER(hh, g->facts->umds, umd, next)
    {
        /* Of those that were judged already, only what was found in a better way counts anew. */
        if (!umd->trusted && umd->found & ~CUA_PUBLIC_BITS) {
            umd->trusted = is_trusted(g, umd);
            free(umd->distrust);
            umd->distrust = umd->trusted ? NULL : strdup(g->path);
        }
        umd->found &= CUA_PUBLIC_BITS;
    }
}
