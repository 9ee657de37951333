/* SPDX-License-Identifier: Apache-2.0 */
/* The candidates: every libcuda file that can be found, each once, and what is known of it. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gather.h"
#include "identity.h"
#include "ldso.h"
#include "loader.h"
#include "oldstat.h"
#include "text.h"
#include "trust.h"
#include "umd.h"

#define MAX_UMDS      256
#define MAX_FOLDERS   640
#define MAX_IN_FOLDER 256
/* ext4: about 1 KiB for 25 names */
#define BIG_FOLDER (16 << 10)

/* Beside enum cua_found, while gathering: by which kind of path entry a file was found. */
#define BY_ABSOLUTE (1u << 30)
#define BY_RELATIVE (1u << 31)
#define PUBLIC_BITS (BY_ABSOLUTE - 1)

/* A name in a folder; a file system need not say what it is (DT_UNKNOWN). */
struct name {
    char text[61];
    unsigned char type;
    bool followed, beside; /* of a link: it was read, and leads to a file of this folder */
};

struct gatherer {
    struct cua_facts *facts;
    const struct cua_view *view;
    unsigned machine;
    struct cua_trust trust;
    struct cua_umd_key folder[MAX_FOLDERS];
    size_t folders;
    struct name name[MAX_IN_FOLDER]; /* of the folder being read */
    /* Too large for the stack of somebody's thread. */
    char real[PATH_MAX], path[PATH_MAX], file[PATH_MAX];
};

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
    umd->found = bits;
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
    char real[PATH_MAX];
    struct stat st;

    if (cua_view_resolve(view, path, real) != 0 || cua_lstat(real, &st) != 0)
        return NULL;
    return add_file(g, real, &st, bits);
}

static bool is_libcuda(const char *name)
{
    struct cua_version version;

    if (!cua_starts(name, "libcuda.so"))
        return false;
    name += strlen("libcuda.so");
    return !name[0] || strcmp(name, ".1") == 0 || strcmp(name, ".1.1") == 0 ||
           cua_identity_named(name - strlen("libcuda.so"), &version);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Sorted: in what order a folder is read differs from file system to file system. */
static size_t list(struct gatherer *g, const char *real)
{
    struct dirent *entry;
    DIR *dir = opendir(real);
    size_t count = 0;

    while (dir && count < MAX_IN_FOLDER && (entry = readdir(dir))) {
        struct name *name = &g->name[count];
        if (!is_libcuda(entry->d_name) || !cua_copy(name->text, sizeof name->text, entry->d_name))
            continue;
        name->type = entry->d_type;
        name->followed = name->beside = false;
        count++;
    }
    if (dir)
        closedir(dir);
    qsort(g->name, count, sizeof *g->name, by_name);
    return count;
}

/* Whether the link leads to a file beside it that is looked at itself, over few links. What was
 * found out of one is kept: others lead to the same. */
static bool leads_beside(struct gatherer *g, size_t count, const char *folder, size_t link,
                         int hops)
{
    struct name *name = &g->name[link];
    char path[PATH_MAX], target[64];
    ssize_t n = -1;
    size_t next = 0;

    if (name->type == DT_LNK && !name->followed && hops) {
        name->followed = true;
        if (cua_join(path, sizeof path, folder, name->text))
            n = readlink(path, target, sizeof target - 1);
        target[n > 0 ? n : 0] = 0;
        while (next < count && strcmp(target, g->name[next].text) != 0)
            next++;
        name->beside = next < count && leads_beside(g, count, folder, next, hops - 1);
    }
    return name->type == DT_REG || name->beside;
}

static void scan(struct gatherer *g, const char *real, unsigned bits)
{
    size_t count = list(g, real);
    struct stat st;

    for (size_t i = 0; i < count; i++) {
        int error;
        if (!cua_join(g->path, sizeof g->path, real, g->name[i].text) ||
            (g->name[i].type == DT_LNK && leads_beside(g, count, real, i, 3)) ||
            cua_lstat(g->path, &st) != 0)
            continue;
        if (!S_ISLNK(st.st_mode)) {
            add_file(g, g->path, &st, bits);
            continue;
        }
        error = cua_view_resolve(g->view, cua_view_inside(g->view, g->path), g->file);
        if (error || cua_lstat(g->file, &st) != 0)
            add_link(g, g->path, error, bits);
        else
            add_file(g, g->file, &st, bits);
    }
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

static bool has_file(const char *real, const char *stem, const char *rest)
{
    char path[PATH_MAX], name[64];
    struct stat st;

    snprintf(name, sizeof name, "%s%s", stem, rest);
    return cua_join(path, sizeof path, real, name) && cua_lstat(path, &st) == 0;
}

/*
 * Reading /usr/lib/x86_64-linux-gnu of a big image costs more than all the rest together. Where
 * such a folder has none of the names that lead to a libcuda, nor the kernel driver's version, it
 * is not read: what ldconfig has never linked there no program finds either.
 */
static bool is_worth_reading(const struct gatherer *g, const char *real, const struct stat *st)
{
    return st->st_size < BIG_FOLDER || has_file(real, "libcuda.so", ".1") ||
           has_file(real, "libcuda.so", "") || has_file(real, "libcuda.so", ".1.1") ||
           has_file(real, "libcuda.so.", g->facts->kmd.version.text);
}

/* Without a sysroot the kernel follows the links, and most folders are not there. */
static bool find_folder(const struct gatherer *g, const char *folder, char *real, struct stat *st)
{
    if (!g->view->sysroot || !g->view->sysroot[0]) {
        if (cua_stat(folder, st) != 0)
            return false;
    }
    return cua_view_resolve(g->view, folder, real) == 0 && cua_lstat(real, st) == 0 &&
           S_ISDIR(st->st_mode);
}

static void add_folder(struct gatherer *g, const char *folder, unsigned bits)
{
    struct cua_umd_key key;
    struct stat st;
    size_t known = 0;

    if (!find_folder(g, folder, g->real, &st))
        return;
    key = cua_umd_key_of(&st);
    while (known < g->folders && memcmp(&g->folder[known], &key, sizeof key) != 0)
        known++;
    if (known < g->folders) {
        mark(g, g->real, bits);
        return;
    }
    if (g->folders < MAX_FOLDERS)
        g->folder[g->folders++] = key;
    if (is_worth_reading(g, g->real, &st))
        scan(g, g->real, bits);
}

static int on_folder(void *data, const char *folder, unsigned found)
{
    static const struct cua_view machine = {.sysroot = ""};
    struct gatherer *g = data;
    unsigned bits = found | (folder[0] == '/' ? BY_ABSOLUTE : BY_RELATIVE);

    if (found & CUA_FOUND_MOUNT)
        add_path(g, g->view, folder, bits);
    else if (found & CUA_FOUND_MAPPED)
        add_path(g, g->view->pid ? g->view : &machine, folder, bits);
    else
        add_folder(g, folder, bits);
    return 0;
}

/* What ld.so alone would take for libcuda.so.1, wherever it lies. */
static void find_default(struct gatherer *g)
{
    char found[PATH_MAX];
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

/* What ld.so opens, or was told to open, is the user's own choice already. */
static void judge_trust(struct gatherer *g, struct cua_umd *umd)
{
    unsigned bits = umd->found;

    umd->found &= PUBLIC_BITS;
    umd->trusted = umd->loader_default || bits & (CUA_FOUND_MAPPED | CUA_FOUND_NAMED);
    if (umd->trusted)
        return;
    if (bits & BY_ABSOLUTE)
        umd->trusted = cua_trusted(&g->trust, g->view, umd->real, bits & CUA_FOUND_MOUNT, g->path);
    else
        cua_copy(g->path, sizeof g->path, "a relative entry of LD_LIBRARY_PATH");
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
    g->folders = 0;
    if (policy && policy->libcuda[0])
        add_path(g, &machine, policy->libcuda, CUA_FOUND_NAMED | BY_ABSOLUTE);
    cua_folders_each(view, on_folder, g);
    find_default(g);
    HASH_ITER(hh, facts->umds, umd, next)
    judge_trust(g, umd);
    free(g);
}
