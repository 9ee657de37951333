/* SPDX-License-Identifier: Apache-2.0 */
#include "command/summary/bring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "command/driver/suit.h"

#define MOST_MODELS 8

/* Finds the driver to add for one kind of machine. Other users may have written the log, so its
 * texts are only compared with the tables. */
static void judge(struct cua_suit *suit, const struct cua_wanting *wanting)
{
    const char *model[MOST_MODELS];
    struct cua_overrides overrides = {.kmd = wanting->kmd, .gpu = model};
    struct cua_version version;
    size_t length = cua_version_parse(&version, wanting->kmd);
    char models[512], *rest = models, *end;

    memset(suit, 0, sizeof *suit);
    snprintf(models, sizeof models, "%s", wanting->gpus);
    for (; rest && *rest && overrides.gpu_count < MOST_MODELS; rest = end ? end + 2 : NULL) {
        end = strstr(rest, "; ");
        if (end)
            *end = '\0';
        model[overrides.gpu_count++] = rest;
    }
    overrides.toolkit = wanting->cuda;
    if (!length || wanting->kmd[length] || !cua_cuda_parse(wanting->cuda))
        snprintf(suit->why, sizeof suit->why, "the kernel driver or the CUDA is not known");
    else if (!overrides.gpu_count || (rest && *rest))
        snprintf(suit->why, sizeof suit->why, "the GPUs of the hosts are not known");
    else
        cua_suit_find(suit, &overrides);
}

static int by_processes(const struct cua_bring *a, const struct cua_bring *b)
{
    if (a->processes != b->processes)
        return a->processes < b->processes ? 1 : -1;
    return strcmp(a->key, b->key);
}

struct cua_bring *cua_bring_of(struct cua_counts *counts)
{
    static struct cua_suit suit;
    struct cua_bring *all = NULL, *one;

    for (struct cua_wanting *wanting = counts->wanting; wanting; wanting = wanting->hh.next) {
        judge(&suit, wanting);
        const char *version = suit.package ? suit.package->version.text : "";
        const char *key = suit.package ? version : suit.why;
        HASH_FIND(hh, all, key, strlen(key), one);
        if (!one && (one = calloc(1, sizeof *one + strlen(key) + 1))) {
            strcpy(one->key, key);
            snprintf(one->version, sizeof one->version, "%s", version);
            snprintf(one->why, sizeof one->why, "%s", suit.why);
            HASH_ADD(hh, all, key, strlen(key), one);
            if (!one->hh.tbl) {
                free(one);
                one = NULL;
            }
        }
        counts->short_of_memory |= !one;
        for (struct cua_word *host = wanting->hosts; one && host; host = host->hh.next)
            cua_counts_add(counts, &one->hosts, host->text);
        if (one)
            one->processes += wanting->processes;
    }
    HASH_SORT(all, by_processes);
    return all;
}
