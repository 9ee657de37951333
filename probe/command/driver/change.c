/* SPDX-License-Identifier: Apache-2.0 */
#include "command/driver/change.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/jsonout.h"
#include "command/driver/suit.h"
#include "drivers/umds.h"
#include "rules/brought.h"

#define MAJOR(cuda)  ((cuda) / 1000)
#define OF_MAJOR(it) ((it)*1000)
#define LAST_MINOR   9

static bool is_known(const struct cua_facts *facts)
{
    return facts->kmd.platform == CUA_PLATFORM_LINUX && cua_version_known(&facts->kmd.version) &&
           facts->gpus_known && facts->gpu_count;
}

/* Gathers the store's drivers. If this machine's kernel driver and GPUs are known, clears `trusted`
 * of each driver that is not proven to work with them, because no program here would get that
 * driver. */
static void gather_store(struct cua_facts *facts, const struct cua_store *store)
{
    struct cua_store absolute = *store;

    if (store->fd < 0 || !realpath(store->path, absolute.path))
        return;
    cua_umds_of_store(facts, &cua_here, &absolute);
    for (struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next) {
        if (!umd->cuda)
            umd->cuda = cua_data_umd_cuda(facts->data, &umd->version);
        if (is_known(facts) && !cua_is_proven(facts, umd))
            umd->trusted = false;
    }
}

/* Adds the new driver to the facts. Its libcuda is not read, so it counts as one without the ELF
 * note that lists supported kernel drivers (elf/compat_note.h). NULL: no memory. */
static struct cua_umd *add_new(struct cua_facts *facts, const struct cua_version *version,
                               unsigned cuda)
{
    struct cua_umd *umd = calloc(1, sizeof *umd);

    if (!umd)
        return NULL;
    umd->key.ino = (ino_t)-1;
    umd->path = strdup("libcuda.so.1");
    umd->real = strdup("libcuda.so.1");
    umd->found = CUA_FOUND_BROUGHT;
    umd->companions = true;
    umd->version = *version;
    umd->cuda = cuda ? cuda : cua_data_umd_cuda(facts->data, version);
    if (umd->path && umd->real)
        HASH_ADD(hh, facts->umds, key, sizeof umd->key, umd);
    if (umd->hh.tbl)
        return umd;
    free(umd->path);
    free(umd->real);
    free(umd);
    return NULL;
}

/* Whether it is certain that no program on this machine would get the new driver: it does not work
 * here, or it is not newer than the kernel driver. */
static bool is_out_here(const struct cua_facts *facts, const struct cua_umd *umd)
{
    struct cua_fate fate;

    cua_fate(&fate, facts, umd, true);
    return is_known(facts) && (fate.works == CUA_WORKS_NO || !cua_is_newer(facts, umd));
}

static void note(struct cua_changes *changes, unsigned cuda, const struct cua_version *now)
{
    struct cua_change *last = changes->count ? &changes->change[changes->count - 1] : NULL;
    unsigned before = cuda % 1000 ? cuda - 10 : OF_MAJOR(MAJOR(cuda) - 1) + LAST_MINOR * 10;

    if (last && last->last == before && cua_version_compare(&last->now, now) == 0)
        last->last = cuda;
    else if (changes->count < CUA_CHANGES)
        changes->change[changes->count++] =
            (struct cua_change){.first = cuda, .last = cuda, .now = *now};
}

/* For each CUDA version, finds which driver of the store its programs get, with and without the new
 * driver. Notes the versions for which the new driver replaces another one. */
static void compare(struct cua_changes *changes, struct cua_facts *facts, struct cua_umd *new)
{
    unsigned first = MAJOR(new->cuda), last = first;

    for (const struct cua_umd *umd = facts->umds; umd; umd = umd->hh.next) {
        if (umd->trusted && MAJOR(umd->cuda) < first)
            first = MAJOR(umd->cuda);
        if (umd->trusted && MAJOR(umd->cuda) > last)
            last = MAJOR(umd->cuda);
    }
    if (is_known(facts)) {
        unsigned own = cua_data_umd_cuda(facts->data, &facts->kmd.version);
        first = own ? MAJOR(own) + 1 : last + 1;
    }
    for (unsigned cuda = OF_MAJOR(first); MAJOR(cuda) <= last;
         cuda = cuda % 1000 == LAST_MINOR * 10 ? OF_MAJOR(MAJOR(cuda) + 1) : cuda + 10) {
        facts->toolkit = (struct cua_toolkit){.kind = CUA_TOOLKIT_EXACT, .cuda = cuda};
        new->trusted = false;
        const struct cua_umd *now = cua_first_brought(facts);
        new->trusted = true;
        const struct cua_umd *then = cua_first_brought(facts);
        if (now && then != now && cua_version_compare(&now->version, &then->version) != 0)
            note(changes, cuda, &now->version);
    }
    if (changes->count &&
        changes->change[changes->count - 1].last == OF_MAJOR(last) + LAST_MINOR * 10)
        changes->change[changes->count - 1].later = true;
}

void cua_changes_find(struct cua_changes *changes, const struct cua_store *store,
                      const struct cua_version *version, unsigned cuda,
                      const struct cua_overrides *machine)
{
    struct cua_facts facts;

    *changes = (struct cua_changes){.added = *version};
    cua_suit_facts(&facts, machine);
    gather_store(&facts, store);
    struct cua_umd *new = add_new(&facts, version, cuda);
    if (new && !is_out_here(&facts, new))
        compare(changes, &facts, new);
    cua_facts_free(&facts);
}

static void range_of(const struct cua_change *change, char *text, size_t size)
{
    char first[12], last[12];

    snprintf(text, size, "%s%s%s", cua_cuda_text(change->first, first),
             change->later                   ? " and later"
             : change->first == change->last ? ""
                                             : " to ",
             change->later || change->first == change->last ? ""
                                                            : cua_cuda_text(change->last, last));
}

void cua_changes_text(const struct cua_changes *changes, char *text, size_t size)
{
    char range[32];
    size_t at = 0;

    text[0] = '\0';
    for (unsigned i = 0; i < changes->count && at < size; i++) {
        range_of(&changes->change[i], range, sizeof range);
        at += (size_t)snprintf(text + at, size - at, "%s of CUDA %s get %s%s",
                               i ? ", those" : "programs", range, changes->change[i].now.text,
                               i ? "" : " now");
    }
    if (changes->count && at < size)
        snprintf(text + at, size - at, "; if %s is added, they get this one instead",
                 changes->added.text);
}

void cua_changes_json(const struct cua_changes *changes)
{
    char cuda[12];

    cua_jsonout_open("changes", '[');
    for (unsigned i = 0; i < changes->count; i++) {
        const struct cua_change *change = &changes->change[i];
        cua_jsonout_open(NULL, '{');
        cua_jsonout_text("from", cua_cuda_text(change->first, cuda));
        cua_jsonout_text("to", change->later ? NULL : cua_cuda_text(change->last, cuda));
        cua_jsonout_text("now", change->now.text);
        cua_jsonout_text("then", changes->added.text);
        cua_jsonout_close('}');
    }
    cua_jsonout_close(']');
}
