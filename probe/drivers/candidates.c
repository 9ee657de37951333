/* SPDX-License-Identifier: Apache-2.0 */
#include "drivers/candidates.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/mounts.h"
#include "base/oldstat.h"
#include "base/text.h"
#include "drivers/umd.h"
#include "drivers/folders.h"

#define MAX_UMDS 256

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
    umd->found = bits | (g->asks_mounts && cua_mount_at(real) == 1 ? CUA_FOUND_MOUNT : 0);
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

struct cua_umd *cua_candidate_add(struct cua_gatherer *g, const char *real, const struct stat *st,
                                  unsigned bits)
{
    unsigned known = HASH_COUNT(g->facts->umds);
    struct cua_umd *umd = add(g, real, st, bits);

    if (umd && HASH_COUNT(g->facts->umds) > known)
        cua_umd_identify(umd, g->subject, st, g->machine);
    return umd;
}

void cua_candidate_add_link(struct cua_gatherer *g, const char *link, int error, unsigned bits)
{
    struct cua_umd *umd;
    struct stat st;

    if (cua_subject_lstat(g->subject, cua_subject_inside(g->subject, link), &st) != 0 ||
        !(umd = add(g, link, &st, bits)))
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

    if (cua_subject_resolve(subject, path, g->path) != 0 ||
        cua_subject_stat(subject, path, &st) != 0)
        return NULL;
    return cua_candidate_add(g, g->path, &st, bits);
}

/* What ld.so opens, or was told to open, is the user's own choice already. Where it is not trusted
 * g->path says why. */
static bool is_trusted(struct cua_gatherer *g, const struct cua_umd *umd)
{
    unsigned bits = umd->found;

    if (umd->loader_default || bits & (CUA_FOUND_MAPPED | CUA_FOUND_NAMED))
        return true;
    if (bits & CUA_BY_ABSOLUTE)
        return cua_trusted(&g->trust, g->subject, umd->real, bits & CUA_FOUND_MOUNT, g->path);
    cua_copy(g->path, sizeof g->path, "a relative entry of LD_LIBRARY_PATH");
    return false;
}

/* The host's own; one that an image bundles may have the same version by chance. */
bool cua_candidates_have_native(struct cua_gatherer *g)
{
    const struct cua_version *kmd = &g->facts->kmd.version;

    for (const struct cua_umd *umd = g->facts->umds; umd; umd = umd->hh.next) {
        if (umd->state == CUA_UMD_USABLE && cua_version_known(kmd) &&
            cua_version_compare(&umd->version, kmd) == 0 && !(umd->found & CUA_FOUND_COMPAT) &&
            is_trusted(g, umd))
            return true;
    }
    return false;
}

void cua_candidates_judge_trust(struct cua_gatherer *g)
{
    struct cua_umd *umd, *next;

    HASH_ITER(hh, g->facts->umds, umd, next)
    {
        umd->trusted = is_trusted(g, umd);
        umd->found &= CUA_PUBLIC_BITS;
        if (!umd->trusted)
            umd->distrust = strdup(g->path);
    }
}
