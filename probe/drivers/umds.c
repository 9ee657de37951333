/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the candidates: every libcuda file, each once, and what is known about it. umds.h explains
 * the terms. */
#include "drivers/umds.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drivers/candidates.h"
#include "drivers/folder_scan.h"
#include "drivers/identity.h"
#include "drivers/runs.h"
#include "drivers/store.h"
#include "loader/ldso.h"
#include "machine/mounts.h"
#include "base/text.h"
#include "drivers/folders.h"
#include "facts/native.h"

/* A folder whose size (st_size) is this or more is not listed. On ext4 1 KiB holds about 25
 * names. */
#define BIG_FOLDER (16 << 10)

/* Adds a file that was found in a folder. A broken link is added too. */
static void add_found(struct cua_gatherer *g, const char *folder, const char *name, unsigned bits)
{
    struct stat st;
    int error = -ENAMETOOLONG;

    if (cua_join(g->file, sizeof g->file, folder, name))
        error = cua_subject_find(g->subject, g->file, g->path, &st, &g->at);
    if (!error)
        cua_candidate_add(g, g->path, &st, bits, 0);
    else if (cua_subject_resolve(g->subject, folder, g->path) == 0 &&
             cua_join(g->file, sizeof g->file, g->path, name) &&
             cua_real_lstat(g->subject, g->file, &st) == 0)
        cua_candidate_add(g, g->file, &st, bits, error);
}

/* Whether this folder must still be read. If so, records it; also false if there is no room to
 * record it. A folder that is found several times is read once for each value of `bits` (how it was
 * found). Once some file is not trusted (machine/trust.h), the folder is also read by each further
 * path, because that path may be trusted.
 *
 * *linked: only usual names are to be looked up in the folder. Becomes false if the folder was
 * listed before: then it is listed this time, too. */
static bool is_news(struct cua_gatherer *g, const char *folder, const struct stat *st,
                    unsigned bits, bool *linked)
{
    struct cua_umd_key key = cua_umd_key_of(st);
    uint64_t name = cua_hash(folder);

    for (size_t i = 0; i < g->folders; i++) {
        if (memcmp(&g->folder[i].key, &key, sizeof key) != 0)
            continue;
        if (g->folder[i].bits == bits && (g->folder[i].name == name || !g->distrusts))
            return false;
        *linked = *linked && g->folder[i].linked;
    }
    if (g->folders == CUA_FOLDERS_MAX)
        return false;
    g->folder[g->folders].key = key;
    g->folder[g->folders].name = name;
    g->folder[g->folders].bits = bits;
    g->folder[g->folders++].linked = *linked;
    return true;
}

/* Adds the candidates in a folder. In two kinds of folders, looks up only libcuda's usual names and
 * the name with the kernel driver's version:
 * - A big folder (BIG_FOLDER). Listing /usr/lib/x86_64-linux-gnu of a big image costs more than
 *   everything else together.
 * - An ordinary folder (no compat folder) of ld.so's cache or defaults, if the kernel driver's
 *   version is known. Programs find no other files there, because ldconfig has made no link to
 *   them.
 *
 * All other folders are listed. */
static void add_folder(struct cua_gatherer *g, const char *folder, unsigned bits)
{
    const struct cua_kmd *kmd = &g->facts->kmd;
    bool linked = bits & (CUA_FOUND_DEFAULT | CUA_FOUND_CACHE) && !(bits & CUA_FOUND_COMPAT);
    struct cua_scan *scan;
    struct stat st;

    if (cua_subject_stat(g->subject, folder, &st) != 0 || !S_ISDIR(st.st_mode))
        return;
    linked = (linked && cua_version_known(&kmd->version)) || st.st_size >= BIG_FOLDER;
    if (!is_news(g, folder, &st, bits, &linked) || !(scan = malloc(sizeof *scan)))
        return;
    cua_scan(scan, g->subject, folder, linked ? &kmd->version : NULL,
             kmd->platform == CUA_PLATFORM_TEGRA);
    for (size_t i = 0; i < scan->count; i++) {
        g->beside = scan->name[i].link ? "" : scan->beside;
        add_found(g, folder, scan->name[i].text, bits);
    }
    g->beside = "";
    free(scan);
}

static int on_folder(void *data, const char *folder, unsigned found)
{
    struct cua_gatherer *g = data;

    if (found & CUA_FOUND_MAPPED)
        cua_candidate_add_path(g, cua_subject_is_own(g->subject) ? &cua_here : g->subject, folder,
                               found);
    else
        add_folder(g, folder, found | (folder[0] == '/' ? 0 : CUA_BY_RELATIVE));
    return 0;
}

/* Adds the kernel driver's libcuda from a folder that is mounted as a whole, such as Colab's
 * /usr/lib64-nvidia and GKE's /usr/local/nvidia. */
static void add_mounted_folder(struct cua_gatherer *g, const char *point)
{
    static const char *const below[] = {"/libcuda.so.", "/lib64/libcuda.so.", "/lib/libcuda.so."};
    const char *version = g->facts->kmd.version.text;

    for (size_t i = 0; i < sizeof below / sizeof *below && version[0]; i++)
        if (cua_join(g->file, sizeof g->file, point, below[i]) &&
            cua_append(g->file, sizeof g->file, version))
            cua_candidate_add_path(g, g->subject, g->file, CUA_FOUND_MOUNT);
}

static int on_mount(void *data, const char *point, const char *root)
{
    struct cua_gatherer *g = data;
    bool file = cua_starts(cua_basename(point), "libcuda.so");

    if (!g->missing)
        cua_candidate_mounted(g, point, root);
    else if (file)
        cua_candidate_add_path(g, g->subject, point, CUA_FOUND_MOUNT);
    else if (!cua_below(point, "/proc") && !cua_below(point, "/sys") && !cua_below(point, "/dev"))
        add_mounted_folder(g, point);
    return 0;
}

/* Looks for the host's driver among the mounts: a container runtime mounts single files or a whole
 * folder, sometimes where no program looks. If the host's driver was found already, the list only
 * shows which candidates are mount points. Even that is not needed if cua_mount_at has shown it
 * (g->asks_mounts). */
static void find_mounted(struct cua_gatherer *g)
{
    const struct cua_umd *native = cua_find_native(g->facts);

    /* A driver in a compat folder (folders.h) does not count: it may have the host's version by
     * chance. */
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
    memset(g, 0, offsetof(struct cua_gatherer, path));
    cua_ldso_of(&ldso, subject);
    g->facts = facts;
    g->subject = subject;
    g->machine = ldso.machine;
    g->at.fd = -1;
    g->beside = "";
    g->budget = CUA_SEARCH_MOST;
    g->asks_mounts = cua_subject_is_plain(subject);
    return g;
}

void cua_umds_loader(struct cua_facts *facts, const struct cua_subject *subject, const char *file,
                     int *opened, const struct cua_policy *policy)
{
    const struct cua_subject *place = cua_subject_is_own(subject) ? &cua_here : subject;
    struct cua_gatherer *g = start(facts, subject);

    if (!g)
        return;
    if (policy->libcuda[0])
        cua_candidate_add_path(g, place, policy->libcuda, CUA_FOUND_NAMED);
    g->loaders = true;
    if (opened) {
        g->at.fd = *opened;
        *opened = -1;
    }
    if (file[0])
        facts->loader = cua_candidate_add_path(g, place, cua_subject_inside(place, file), 0);
    free(g);
}

/* Looks for the native UMD where it nearly always is: in an ordinary folder, as
 * libcuda.so.VERSION. */
static int on_native_folder(void *data, const char *folder, unsigned found)
{
    struct cua_gatherer *g = data;
    struct cua_umd *umd;

    if (found & (CUA_FOUND_MAPPED | CUA_FOUND_COMPAT) || folder[0] != '/' ||
        !cua_join(g->file, sizeof g->file, folder, "libcuda.so.") ||
        !cua_append(g->file, sizeof g->file, g->facts->kmd.version.text))
        return 0;
    umd = cua_candidate_add_path(g, g->subject, g->file, found);
    if (umd && cua_may_be_native(g->facts, umd))
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
        loader = cua_facts_umd(facts, &facts->loader->key);
    if (loader && loader->version_doubtful)
        cua_candidate_make_sure(g, loader, NULL);
    if (loader && cua_may_be_native(facts, loader))
        facts->native = loader;
    else if (facts->kmd.platform == CUA_PLATFORM_LINUX && cua_version_known(&facts->kmd.version))
        cua_folders_each(subject, on_native_folder, g);
    free(g);
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
    free(g);
}

#define MOST_BROUGHT 32 /* most drivers that are taken from one store */

struct bringing {
    struct cua_gatherer *g;
    struct cua_store *store;
    unsigned count;
};

/* Adds a brought driver if only root, this user and the store's owner can change it. */
static void add_brought(void *data, const char *version)
{
    struct bringing *bringing = data;
    char path[PATH_MAX], wrong[NAME_MAX + 1];
    int dir = bringing->count >= MOST_BROUGHT ? -1 : cua_store_open(bringing->store, version);

    if (dir < 0)
        return;
    /* Skip a driver that is incomplete or was removed: a removed driver's folder remains for a
     * while. */
    if (cua_store_is_whole(bringing->store, dir, version) &&
        !cua_store_others(bringing->store, dir, wrong)) {
        bringing->count++;
        cua_store_libcuda(bringing->store, version, path);
        struct cua_umd *umd =
            cua_candidate_add_path(bringing->g, &cua_here, path, CUA_FOUND_BROUGHT);
        if (umd && cua_is_brought(umd) && !umd->runs)
            umd->runs = cua_runs_read(bringing->store, version, &umd->run_count);
    }
    close(dir);
}

void cua_umds_of_store(struct cua_facts *facts, const struct cua_subject *subject,
                       struct cua_store *store)
{
    struct bringing bringing = {start(facts, subject), store, 0};

    if (bringing.g)
        cua_store_each(store, add_brought, &bringing);
    free(bringing.g);
}

void cua_umds_brought(struct cua_facts *facts, const struct cua_subject *subject,
                      const struct cua_settings *settings, const char *site)
{
    struct cua_store *store = malloc(sizeof *store);

    for (unsigned i = 0; store && i < CUA_STORE_PLACES; i++) {
        if (!cua_store_place(store, settings, site, i))
            continue;
        if (cua_store_look_to_run(store))
            cua_umds_of_store(facts, subject, store);
        cua_store_close(store);
    }
    free(store);
}
