/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/node/drivers.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/reasons.h"
#include "base/text.h"
#include "cli/jsonout.h"
#include "cli/verb.h"
#include "deploy/hook/brought.h"
#include "drivers/umds.h"
#include "facts/circumstances.h"
#include "facts/gpu.h"
#include "facts/kmd.h"
#include "facts/mps.h"
#include "rules/brought.h"
#include "rules/words.h"
#include "tables/load.h"

#define MAJOR(cuda) ((cuda) / 1000)

struct node_driver {
    struct cua_version version;
    unsigned cuda; /* 0: not known */
    enum cua_works usable;
    unsigned first, last; /* if usable: programs of these CUDA majors can get the driver */
    char why[400];        /* if not usable: the reason */
};

struct node_store {
    struct cua_store store;
    struct cua_facts facts;
    unsigned own; /* CUDA version of the node's own driver, by its kernel driver; 0: not known */
    struct node_driver driver[CUA_HOOK_DRIVERS];
    unsigned count;
};

static void gather(struct node_store *looked, const struct cua_subject *node)
{
    static const enum cua_fact all[] = {CUA_FACT_KMD, CUA_FACT_TABLES, CUA_FACT_GPUS, CUA_FACT_MPS,
                                        CUA_FACT_CIRCUMSTANCES};
    struct cua_facts *facts = &looked->facts;

    cua_kmd_gather(&facts->kmd, node);
    facts->data = cua_data_for(&cua_here);
    cua_gpus_gather(facts, node);
    facts->mps = facts->kmd.platform == CUA_PLATFORM_LINUX && cua_mps_live(node);
    cua_circumstances_gather(facts, node);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        facts->asked[all[i]] = true;
    if (facts->kmd.platform == CUA_PLATFORM_LINUX && cua_version_known(&facts->kmd.version))
        looked->own = cua_data_umd_cuda(facts->data, &facts->kmd.version);
    cua_umds_of_store(facts, &cua_here, &looked->store);
    for (struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next)
        umd->cuda = umd->cuda ? umd->cuda : cua_data_umd_cuda(facts->data, &umd->version);
}

static const struct cua_umd *find(const struct node_store *looked, const char *version)
{
    char folder[PATH_MAX];
    const struct cua_umd *umd = looked->facts.umds;

    if (!cua_join(folder, sizeof folder, looked->store.path, version) ||
        !cua_append(folder, sizeof folder, "/"))
        return NULL;
    while (umd && !cua_starts(umd->path, folder))
        umd = umd->hh.next;
    return umd;
}

/* Whether the result for a driver does not depend on the node's GPUs: no program can get the
 * driver, or it is not known which can. If so, driver->why receives the reason. */
static bool is_settled(const struct node_store *looked, struct node_driver *driver)
{
    const struct cua_kmd *kmd = &looked->facts.kmd;
    char own[12];

    if (kmd->platform == CUA_PLATFORM_WSL || kmd->platform == CUA_PLATFORM_TEGRA) {
        cua_copy(driver->why, sizeof driver->why, "programs on WSL and Tegra keep the node's own");
    } else if (!looked->own) {
        driver->usable = CUA_WORKS_UNKNOWN;
        cua_copy(driver->why, sizeof driver->why,
                 "the CUDA version of the node's kernel driver is not known");
    } else if (!cua_hook_is_newer(driver->version.text, &kmd->version)) {
        cua_copy(driver->why, sizeof driver->why, "the node's own is as new or newer");
    } else if (driver->cuda && driver->last < driver->first) {
        snprintf(driver->why, sizeof driver->why,
                 "the node's own has CUDA %s, which starts programs of CUDA %u",
                 cua_cuda_text(looked->own, own), driver->last);
    } else {
        return false;
    }
    return true;
}

static void judge(const struct node_store *looked, struct node_driver *driver,
                  const struct cua_umd *umd)
{
    struct cua_detail detail;
    enum cua_reason reason = cua_judge(&detail, &looked->facts, umd);

    driver->cuda = umd->cuda;
    driver->first = MAJOR(looked->own) + 1;
    driver->last = MAJOR(umd->cuda);
    if (is_settled(looked, driver))
        return;
    if (reason == CUA_REASON_NEWER_CERTAIN) {
        driver->usable = umd->companions ? CUA_WORKS_YES : CUA_WORKS_NO;
        snprintf(driver->why, sizeof driver->why, "%s%s", umd->missing,
                 umd->companions ? "" : " is missing from its folder");
        return;
    }
    if (reason == CUA_REASON_NEWER_UNKNOWN_GPU && !looked->facts.gpus_known)
        driver->usable = CUA_WORKS_UNKNOWN;
    snprintf(driver->why, sizeof driver->why, "%s (%s)",
             detail.text[0] ? detail.text : cua_reason_meaning(reason), cua_reason_code(reason));
}

static void look_at(void *data, const char *version)
{
    struct node_store *looked = data;
    char wrong[NAME_MAX + 1];
    int dir = looked->count < CUA_HOOK_DRIVERS ? cua_store_open(&looked->store, version) : -1;
    struct node_driver *driver = &looked->driver[looked->count];
    const struct cua_umd *umd;

    if (dir < 0)
        return;
    *driver = (struct node_driver){.usable = CUA_WORKS_NO};
    cua_version_parse(&driver->version, version);
    if (!cua_store_is_whole(&looked->store, dir, version))
        cua_copy(driver->why, sizeof driver->why, "it was removed, or it is not complete");
    else if (cua_store_others(&looked->store, dir, wrong))
        snprintf(driver->why, sizeof driver->why, "%s: " CUA_STORE_OTHERS, wrong);
    else if (!(umd = find(looked, version)))
        cua_copy(driver->why, sizeof driver->why, "it has no libcuda.so.1");
    else
        judge(looked, driver, umd);
    looked->count++;
    close(dir);
}

static int by_version(const void *a, const void *b)
{
    return cua_version_compare(&((const struct node_driver *)a)->version,
                               &((const struct node_driver *)b)->version);
}

/* Opens the store (drivers.h) of another node: beside the hook's files in `folder` or, if there is
 * none, CUA_STORE_PACKAGES. Links are followed inside that node's root. False if there is no store.
 * False also if the store is refused, for example because other users can write to it; then
 * store->why has the reason. */
static bool open_below(struct cua_store *store, const struct cua_subject *node, const char *folder)
{
    char beside[PATH_MAX], real[PATH_MAX];
    const char *const places[] = {beside, CUA_STORE_PACKAGES};

    if (!cua_join(beside, sizeof beside, folder, CUA_STORE_NAME))
        return false;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (cua_subject_resolve(node, places[i], real) == 0 &&
            cua_copy(store->path, sizeof store->path, real) &&
            (!cua_store_look(store) || store->fd >= 0))
            return store->fd >= 0 && !store->why[0];
    return false;
}

/* Examines the drivers of a node's store (drivers.h). The caller frees the result. NULL if there is
 * nothing to show, neither a driver nor a reason why the store is refused; also NULL if there is no
 * memory. */
static struct node_store *look(const char *root, const char *folder)
{
    const struct cua_subject node = {.sysroot = root};
    struct node_store *looked = calloc(1, sizeof *looked);

    if (!looked)
        return NULL;
    looked->store.fd = looked->store.lock = -1;
    if (root[0] ? open_below(&looked->store, &node, folder)
                : cua_hook_store(&looked->store, folder)) {
        gather(looked, &node);
        cua_store_each(&looked->store, look_at, looked);
        qsort(looked->driver, looked->count, sizeof *looked->driver, by_version);
    }
    cua_store_close(&looked->store);
    cua_facts_free(&looked->facts);
    if (looked->count || looked->store.why[0])
        return looked;
    free(looked);
    return NULL;
}

static void print_driver(const struct node_driver *driver)
{
    char cuda[12];

    printf("    %s", driver->version.text);
    if (driver->cuda)
        printf(", CUDA %s", cua_cuda_text(driver->cuda, cuda));
    if (driver->usable != CUA_WORKS_YES)
        printf(": %s: %s\n", driver->usable == CUA_WORKS_NO ? "for none" : "not known",
               cua_shown(driver->why));
    else if (driver->first == driver->last)
        printf(": for programs of CUDA %u\n", driver->first);
    else
        printf(": for programs of CUDA %u to %u\n", driver->first, driver->last);
}

void cua_node_drivers(const char *root, const char *folder)
{
    struct node_store *looked = look(root, folder);

    if (!looked)
        return;
    if (looked->store.why[0])
        printf("containers get no driver from %s: %s\n", cua_shown(looked->store.path),
               looked->store.why);
    else
        printf("drivers in %s, for GPU containers without a Linux capability that could open the "
               "node's files:\n",
               cua_shown(looked->store.path));
    for (unsigned i = 0; i < looked->count; i++)
        print_driver(&looked->driver[i]);
    free(looked);
}

void cua_node_drivers_json(const char *root, const char *folder)
{
    static const char *const words[] = {
        [CUA_WORKS_YES] = "yes", [CUA_WORKS_NO] = "no", [CUA_WORKS_UNKNOWN] = "unknown"};
    struct node_store *looked = look(root, folder);
    char cuda[12];

    if (!looked) {
        cua_jsonout_null("store");
        return;
    }
    cua_jsonout_open("store", '{');
    cua_jsonout_string("folder", looked->store.path);
    cua_jsonout_text("trouble", looked->store.why);
    cua_jsonout_open("drivers", '[');
    for (unsigned i = 0; i < looked->count; i++) {
        const struct node_driver *driver = &looked->driver[i];
        cua_jsonout_open(NULL, '{');
        cua_jsonout_text("version", driver->version.text);
        cua_jsonout_text("cuda", driver->cuda ? cua_cuda_text(driver->cuda, cuda) : NULL);
        cua_jsonout_text("usable", words[driver->usable]);
        cua_jsonout_open("programs", '[');
        for (unsigned major = driver->first;
             driver->usable == CUA_WORKS_YES && major <= driver->last; major++)
            cua_jsonout_number(NULL, major);
        cua_jsonout_close(']');
        cua_jsonout_text("why", driver->why);
        cua_jsonout_close('}');
    }
    cua_jsonout_close(']');
    cua_jsonout_close('}');
    free(looked);
}
