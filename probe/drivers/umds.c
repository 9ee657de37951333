/* SPDX-License-Identifier: Apache-2.0 */
/* The candidates: every libcuda file that can be found, each once, and what is known of it. */
#include "drivers/umds.h"

#include <stdlib.h>
#include <string.h>

#include "drivers/candidates.h"
#include "loader/ldso.h"
#include "machine/mounts.h"
#include "base/oldstat.h"
#include "drivers/folder_scan.h"
#include "base/text.h"
#include "drivers/umd.h"
#include "drivers/folders.h"
#include "facts/native.h"

#define MAX_FOLDERS 640
/* ext4: about 1 KiB for 25 names */
#define BIG_FOLDER (16 << 10)

static bool is_rooted(const struct cua_subject *subject)
{
    return subject->sysroot && subject->sysroot[0];
}

/* The folder that is being read, without links; found out when there is something in it. */
static bool find_real(struct cua_gatherer *g)
{
    return g->real[0] || cua_subject_resolve(g->subject, g->reading, g->real) == 0;
}

/* `name` lies in the folder that is being read. */
static void add_found(void *data, const char *name, bool link)
{
    struct cua_gatherer *g = data;
    char *file = g->file;
    struct stat st;
    int error;

    if (!find_real(g) || !cua_join(file, sizeof g->file, g->real, name))
        return;
    if (!link) {
        g->holds = true;
        if (cua_real_lstat(g->subject, file, &st) == 0)
            cua_candidate_add(g, file, &st, g->bits);
        return;
    }
    error =
        cua_subject_resolve_stat(g->subject, cua_subject_inside(g->subject, file), g->path, &st);
    g->astray = true;
    if (error)
        cua_candidate_add_link(g, file, error, g->bits);
    else
        cua_candidate_add(g, g->path, &st, g->bits);
}

/* A folder that was read already, by another name: its files were found this way too. */
static void mark(struct cua_gatherer *g, const char *real, unsigned bits)
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
static bool is_worth_reading(const struct cua_gatherer *g, const struct stat *st, unsigned bits)
{
    bool linked = bits & (CUA_FOUND_DEFAULT | CUA_FOUND_CACHE) && !(bits & CUA_FOUND_COMPAT);

    return st->st_size < BIG_FOLDER && (!linked || !cua_version_known(&g->facts->kmd.version));
}

/* Whether it is one; without a sysroot the kernel follows the links, and most are not there. */
static bool stat_folder(struct cua_gatherer *g, const char *folder, struct stat *st)
{
    int error;

    g->real[0] = 0;
    error = cua_subject_stat(g->subject, folder, st);
    if (!error && is_rooted(g->subject))
        error = cua_subject_resolve(g->subject, folder, g->real);
    return !error && S_ISDIR(st->st_mode);
}

static void read_folder(struct cua_gatherer *g, bool whole)
{
    const struct cua_scan scan = {.found = add_found,
                                  .data = g,
                                  .native = whole ? NULL : &g->facts->kmd.version,
                                  .tegra = g->facts->kmd.platform == CUA_PLATFORM_TEGRA};

    cua_scan(&scan, g->subject, g->real[0] ? g->real : g->reading);
}

/* The folder of this key, and whether it is a new one; NULL where there is no room for it. */
static struct cua_folder *know(struct cua_gatherer *g, const struct stat *st, bool *is_new)
{
    struct cua_umd_key key = cua_umd_key_of(st);
    struct cua_folder *folder;
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

static void add_folder(struct cua_gatherer *g, const char *folder, unsigned bits)
{
    struct cua_folder *known;
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
    struct cua_gatherer *g = data;
    unsigned bits = found | (folder[0] == '/' ? CUA_BY_ABSOLUTE : CUA_BY_RELATIVE);

    if (found & CUA_FOUND_MAPPED)
        cua_candidate_add_path(g, cua_subject_is_own(g->subject) ? &cua_here : g->subject, folder,
                               bits);
    else
        add_folder(g, folder, bits);
    return 0;
}

static int on_mount(void *data, const char *file, const char *root)
{
    struct cua_gatherer *g = data;
    struct cua_umd *umd = NULL;
    struct stat st;

    if (!g->missing && cua_subject_stat(g->subject, file, &st) == 0)
        umd = cua_candidate_find(g, &st);
    if (umd && !(umd->found & CUA_FOUND_MOUNT)) {
        umd->found |= CUA_FOUND_MOUNT;
        cua_candidate_make_sure(g, umd, root);
    }
    if (g->missing)
        cua_candidate_add_path(g, g->subject, file, CUA_FOUND_MOUNT | CUA_BY_ABSOLUTE);
    return 0;
}

/* A runtime mounts the host's driver where somebody looks, or in a folder of the host's that nobody
 * in the container knows. */
static void find_mounted(struct cua_gatherer *g)
{
    const struct cua_umd *native;

    cua_candidates_judge_trust(g);
    native = cua_find_native(g->facts);
    /* One that an image bundles may have the version by chance: the host's own is whole. */
    g->missing = !native || native->found & CUA_FOUND_COMPAT;
    if (g->missing || !g->asks_mounts)
        cua_mounts_each(g->subject, on_mount, g);
}

static struct cua_gatherer *start(struct cua_facts *facts, const struct cua_subject *subject)
{
    struct cua_gatherer *g = malloc(sizeof *g);
    struct cua_ldso ldso;

    if (!g)
        return NULL;
    cua_ldso_of(&ldso, subject);
    g->facts = facts;
    g->subject = subject;
    g->machine = ldso.machine;
    g->trust.folder[0] = 0;
    g->folder = NULL;
    g->folders = g->room = 0;
    g->astray = g->missing = g->in_doubt = g->all = false;
    g->asks_mounts = cua_subject_is_plain(subject);
    return g;
}

static void finish(struct cua_gatherer *g)
{
    cua_candidates_judge_trust(g);
    free(g->folder);
    free(g);
}

void cua_umds_loader(struct cua_facts *facts, const struct cua_subject *subject, const char *file,
                     const struct cua_policy *policy)
{
    const struct cua_subject *place = cua_subject_is_own(subject) ? &cua_here : subject;
    struct cua_gatherer *g = start(facts, subject);

    if (!g)
        return;
    if (policy->libcuda[0])
        cua_candidate_add_path(g, place, policy->libcuda, CUA_FOUND_NAMED | CUA_BY_ABSOLUTE);
    g->in_doubt = true;
    if (file[0])
        facts->loader =
            cua_candidate_add_path(g, place, cua_subject_inside(place, file), CUA_BY_ABSOLUTE);
    finish(g);
}

/* Where it nearly always is: by its own name, in an ordinary folder. */
static int on_native_folder(void *data, const char *folder, unsigned found)
{
    struct cua_gatherer *g = data;
    struct cua_umd *umd;

    if (found & (CUA_FOUND_MAPPED | CUA_FOUND_COMPAT) || folder[0] != '/' ||
        !cua_join(g->file, sizeof g->file, folder, "libcuda.so.") ||
        !cua_append(g->file, sizeof g->file, g->facts->kmd.version.text))
        return 0;
    umd = cua_candidate_add_path(g, g->subject, g->file, found | CUA_BY_ABSOLUTE);
    if (!umd)
        return 0;
    cua_candidates_judge_trust(g);
    if (cua_may_be_native(g->facts, umd))
        g->facts->native = umd;
    return g->facts->native != NULL;
}

void cua_umds_native(struct cua_facts *facts, const struct cua_subject *subject)
{
    struct cua_gatherer *g = start(facts, subject);
    struct cua_umd *loader = NULL;

    if (!g)
        return;
    if (facts->loader)
        HASH_FIND(hh, facts->umds, &facts->loader->key, sizeof loader->key, loader);
    if (loader && (loader->version_doubtful || loader->glanced))
        cua_candidate_make_sure(g, loader, NULL);
    if (loader && cua_may_be_native(facts, loader))
        facts->native = loader;
    else if (facts->kmd.platform == CUA_PLATFORM_LINUX && cua_version_known(&facts->kmd.version))
        cua_folders_each(subject, on_native_folder, g);
    finish(g);
    if (!facts->native) {
        cua_umds_gather(facts, subject);
        facts->native = cua_find_native(facts);
    }
}

void cua_umds_gather(struct cua_facts *facts, const struct cua_subject *subject)
{
    struct cua_gatherer *g;

    if (facts->asked[CUA_FACT_UMDS] || !(g = start(facts, subject)))
        return;
    facts->asked[CUA_FACT_UMDS] = g->all = true;
    for (struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next)
        if (umd->glanced)
            cua_candidate_make_sure(g, umd, NULL);
    cua_folders_each(subject, on_folder, g);
    find_mounted(g);
    finish(g);
}
