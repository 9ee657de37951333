/* SPDX-License-Identifier: Apache-2.0 */
/* The candidates: every libcuda file that can be found, each once, and what is known of it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gather.h"
#include "identity.h"
#include "ldso.h"
#include "loader.h"
#include "mounts.h"
#include "oldstat.h"
#include "scan.h"
#include "search.h"
#include "text.h"
#include "trust.h"
#include "umd.h"

#define MAX_UMDS    256
#define MAX_FOLDERS 640
/* ext4: about 1 KiB for 25 names */
#define BIG_FOLDER (16 << 10)

/* Beside enum cua_found, while gathering: by which kind of path entry a file was found. */
#define BY_ABSOLUTE (1u << 30)
#define BY_RELATIVE (1u << 31)
#define PUBLIC_BITS (BY_ABSOLUTE - 1)

struct folder {
    struct cua_umd_key key;
    bool holds; /* a candidate */
    bool whole; /* every name in it was looked at */
};

struct gatherer {
    struct cua_facts *facts;
    const struct cua_view *view;
    unsigned machine;
    struct cua_trust trust;
    const char *reading; /* the folder that is being read */
    unsigned bits;       /* how it was found */
    bool holds;          /* there is a candidate in it */
    bool astray;         /* a link led out of its folder */
    bool asks_mounts;    /* the kernel tells of a file whether it is mounted */
    bool missing;        /* no libcuda of the kernel driver's version was found */
    /* Too large for the stack of somebody's thread. */
    char real[PATH_MAX], path[PATH_MAX], file[PATH_MAX];
    struct folder *folder; /* what was looked at */
    size_t folders, room;
};

static bool is_rooted(const struct cua_view *view)
{
    return view->sysroot && view->sysroot[0];
}

/* The candidate of this very file; NULL where there is no room. `bits` are added to it. */
static struct cua_umd *add(struct gatherer *g, const char *real, const struct stat *st,
                           unsigned bits)
{
    struct cua_umd_key key = cua_umd_key_of(st);
    struct cua_umd *umd;

    HASH_FIND(hh, g->facts->umds, &key, sizeof key, umd);
    if (umd) {
        umd->found |= bits;
        return umd;
    }
    if (HASH_COUNT(g->facts->umds) >= MAX_UMDS || !(umd = calloc(1, sizeof *umd)))
        return NULL;
    umd->key = key;
    umd->found = bits | (g->asks_mounts && cua_mount_at(real) == 1 ? CUA_FOUND_MOUNT : 0);
    umd->real = strdup(real);
    umd->path = strdup(cua_view_inside(g->view, real));
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

/* `real` is no link; `st` is what it is. */
static struct cua_umd *add_file(struct gatherer *g, const char *real, const struct stat *st,
                                unsigned bits)
{
    unsigned known = HASH_COUNT(g->facts->umds);
    struct cua_umd *umd = add(g, real, st, bits);

    if (umd && HASH_COUNT(g->facts->umds) > known)
        cua_umd_identify(umd, st, g->machine);
    return umd;
}

/* A link that leads nowhere is told as what it is. */
static void add_link(struct gatherer *g, const char *link, int error, unsigned bits)
{
    struct cua_umd *umd;
    struct stat st;

    if (cua_lstat(link, &st) != 0 || !(umd = add(g, link, &st, bits)))
        return;
    umd->state = CUA_UMD_UNREADABLE;
    snprintf(umd->trouble, sizeof umd->trouble, "%s",
             error == -ENOENT  ? "a link to a file that is not there"
             : error == -ELOOP ? "a link that leads back to itself"
                               : strerror(-error));
}

/* By a path as `view` names it. */
static struct cua_umd *add_path(struct gatherer *g, const struct cua_view *view, const char *path,
                                unsigned bits)
{
    struct stat st;

    if (cua_view_resolve(view, path, g->path) != 0 || cua_lstat(g->path, &st) != 0)
        return NULL;
    return add_file(g, g->path, &st, bits);
}

/* The folder that is being read, without links; found out when there is something in it. */
static bool find_real(struct gatherer *g)
{
    return g->real[0] || cua_view_resolve(g->view, g->reading, g->real) == 0;
}

/* `path` lies in a folder that is being read. */
static void add_found(void *data, char *path, bool link)
{
    struct gatherer *g = data;
    char *file = g->file;
    struct stat st;
    int error;

    if (!find_real(g) || !cua_join(file, sizeof g->file, g->real, cua_basename(path)))
        return;
    if (!link) {
        g->holds = true;
        if (cua_lstat(file, &st) == 0)
            add_file(g, file, &st, g->bits);
        return;
    }
    error = cua_view_resolve(g->view, cua_view_inside(g->view, file), g->path);
    g->astray = true;
    if (error || cua_lstat(g->path, &st) != 0)
        add_link(g, file, error, g->bits);
    else
        add_file(g, g->path, &st, g->bits);
}

/* A folder that was read already, by another name: its files were found this way too. */
static void mark(struct gatherer *g, const char *real, unsigned bits)
{
    char folder[PATH_MAX];
    struct cua_umd *umd, *next;

    HASH_ITER(hh, g->facts->umds, umd, next)
    {
        if (strcmp(cua_umd_folder(umd, folder), real) == 0)
            umd->found |= bits;
    }
}

/*
 * Reading /usr/lib/x86_64-linux-gnu of a big image costs more than all the rest together. In such a
 * folder, and in one that ld.so searches anyway, only the names that lead to a libcuda are looked
 * for, and the kernel driver's version: what ldconfig has never linked there no program finds
 * either.
 */
static bool is_worth_reading(const struct gatherer *g, const struct stat *st, unsigned bits)
{
    bool linked = bits & (CUA_FOUND_DEFAULT | CUA_FOUND_CACHE) && !(bits & CUA_FOUND_COMPAT);

    return st->st_size < BIG_FOLDER && (!linked || !cua_version_known(&g->facts->kmd.version));
}

/* Whether it is one; without a sysroot the kernel follows the links, and most are not there. */
static bool stat_folder(struct gatherer *g, const char *folder, struct stat *st)
{
    int error;

    g->real[0] = 0;
    if (is_rooted(g->view))
        error = cua_view_resolve(g->view, folder, g->real) || cua_lstat(g->real, st);
    else
        error = cua_stat(folder, st);
    return !error && S_ISDIR(st->st_mode);
}

static void read_folder(struct gatherer *g, bool whole)
{
    struct cua_scan scan = {.found = add_found, .data = g};
    const char *folder = g->real[0] ? g->real : g->reading;

    if (whole)
        cua_scan(&scan, folder);
    else
        cua_scan_names(&scan, folder, &g->facts->kmd.version,
                       g->facts->kmd.platform == CUA_PLATFORM_TEGRA);
    if (!scan.subfolders)
        cua_search_plain(g->view, g->reading);
}

/* The folder of this key, and whether it is a new one; NULL where there is no room for it. */
static struct folder *know(struct gatherer *g, const struct stat *st, bool *is_new)
{
    struct cua_umd_key key = cua_umd_key_of(st);
    struct folder *folder;
    size_t i = 0;

    while (i < g->folders && memcmp(&g->folder[i].key, &key, sizeof key) != 0)
        i++;
    *is_new = i == g->folders;
    if (i == g->room) {
        folder = i < MAX_FOLDERS ? realloc(g->folder, (i + 32) * sizeof *folder) : NULL;
        if (!folder)
            return NULL;
        g->folder = folder;
        g->room = i + 32;
    }
    folder = &g->folder[i];
    if (*is_new) {
        folder->key = key;
        folder->holds = folder->whole = false;
        g->folders++;
    }
    return folder;
}

static void add_folder(struct gatherer *g, const char *folder, unsigned bits)
{
    struct folder *known;
    struct stat st;
    bool is_new, whole;

    if (!stat_folder(g, folder, &st) || !(known = know(g, &st, &is_new)))
        return;
    g->reading = folder;
    g->bits = bits;
    g->holds = known->holds;
    whole = is_worth_reading(g, &st, bits);
    if (is_new || (whole && !known->whole))
        read_folder(g, whole);
    if (!is_new && (known->holds || g->astray) && find_real(g))
        mark(g, g->real, bits);
    known->holds = g->holds;
    known->whole = known->whole || whole;
}

static int on_folder(void *data, const char *folder, unsigned found)
{
    static const struct cua_view machine = {.sysroot = ""};
    struct gatherer *g = data;
    unsigned bits = found | (folder[0] == '/' ? BY_ABSOLUTE : BY_RELATIVE);

    if (found & CUA_FOUND_MAPPED)
        add_path(g, g->view->pid ? g->view : &machine, folder, bits);
    else
        add_folder(g, folder, bits);
    return 0;
}

/* What ld.so opens, or was told to open, is the user's own choice already. Where it is not trusted
 * g->path says why. */
static bool is_trusted(struct gatherer *g, const struct cua_umd *umd)
{
    unsigned bits = umd->found;

    if (umd->loader_default || bits & (CUA_FOUND_MAPPED | CUA_FOUND_NAMED))
        return true;
    if (bits & BY_ABSOLUTE)
        return cua_trusted(&g->trust, g->view, umd->real, bits & CUA_FOUND_MOUNT, g->path);
    cua_copy(g->path, sizeof g->path, "a relative entry of LD_LIBRARY_PATH");
    return false;
}

/* The host's own; one that an image bundles may have the same version by chance. */
static bool has_native(struct gatherer *g)
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

static int on_mount(void *data, const char *file)
{
    struct gatherer *g = data;
    struct cua_umd_key key;
    struct cua_umd *umd;
    struct stat st;

    if (!g->missing && cua_view_resolve(g->view, file, g->path) == 0 &&
        cua_lstat(g->path, &st) == 0) {
        key = cua_umd_key_of(&st);
        HASH_FIND(hh, g->facts->umds, &key, sizeof key, umd);
        if (umd)
            umd->found |= CUA_FOUND_MOUNT;
    }
    if (g->missing)
        add_path(g, g->view, file, CUA_FOUND_MOUNT | BY_ABSOLUTE);
    return 0;
}

/* A runtime mounts the host's driver where somebody looks, or in a folder of the host's that nobody
 * in the container knows. */
static void find_mounted(struct gatherer *g)
{
    g->missing = !has_native(g);
    if (g->missing || !g->asks_mounts)
        cua_mounts_each(g->view, on_mount, g);
}

/* What ld.so alone would take for libcuda.so.1, wherever it lies. */
static void find_default(struct gatherer *g)
{
    char *found = g->file;
    struct cua_umd_key key;
    struct cua_umd *umd;
    struct stat st;

    if (cua_loader_find(g->view, NULL, "libcuda.so.1", found) != 0 || cua_stat(found, &st) != 0)
        return;
    key = cua_umd_key_of(&st);
    HASH_FIND(hh, g->facts->umds, &key, sizeof key, umd);
    if (!umd)
        umd = add_path(g, g->view, cua_view_inside(g->view, found), BY_ABSOLUTE);
    if (!umd)
        return;
    if (!(umd->found & PUBLIC_BITS))
        umd->found |= CUA_FOUND_DEFAULT;
    umd->loader_default = true;
    g->facts->foreign = umd->state == CUA_UMD_FOREIGN;
}

static void judge_trust(struct gatherer *g, struct cua_umd *umd)
{
    umd->trusted = is_trusted(g, umd);
    umd->found &= PUBLIC_BITS;
    if (!umd->trusted)
        umd->distrust = strdup(g->path);
}

void cua_umds_gather(struct cua_facts *facts, const struct cua_view *view,
                     const struct cua_policy *policy)
{
    static const struct cua_view machine = {.sysroot = ""};
    struct gatherer *g = malloc(sizeof *g);
    struct cua_umd *umd, *next;
    struct cua_ldso ldso;

    if (!g)
        return;
    cua_ldso_of(&ldso, view);
    g->facts = facts;
    g->view = view;
    g->machine = ldso.machine;
    g->trust.folder[0] = 0;
    g->trust.trusted = false;
    g->folder = NULL;
    g->folders = g->room = 0;
    g->astray = false;
    g->asks_mounts = !is_rooted(view) && !view->pid && !view->whatif && cua_mount_at("/") >= 0;
    if (policy && policy->libcuda[0])
        add_path(g, &machine, policy->libcuda, CUA_FOUND_NAMED | BY_ABSOLUTE);
    cua_folders_each(view, on_folder, g);
    find_mounted(g);
    find_default(g);
    HASH_ITER(hh, facts->umds, umd, next)
    judge_trust(g, umd);
    free(g->folder);
    free(g);
}
