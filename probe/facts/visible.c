/* SPDX-License-Identifier: Apache-2.0 */
#include "facts/visible.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Results for an entry of the list that is matched to no GPU. NOTHING: the entry is invalid, and
 * CUDA ignores it and the rest of the list. UNSURE: it is not known here which GPU the entry
 * means. */
#define NOTHING (-1)
#define UNSURE  (-2)

static void show(struct cua_facts *facts, bool visible, const char *note)
{
    for (size_t i = 0; i < facts->gpu_count; i++)
        facts->gpus[i].visible = visible;
    snprintf(facts->visible_note, sizeof(facts->visible_note), "%s", note);
}

/* Whether all GPUs are known to be of one model. If not, an index does not show which GPU it means,
 * because CUDA numbers GPUs by speed, which is not known here. */
static bool all_alike(const struct cua_facts *facts)
{
    const struct cua_gpu *first = facts->gpus;

    for (size_t i = 0; i < facts->gpu_count; i++)
        if ((!first->model[0] && !first->device) || facts->gpus[i].device != first->device ||
            strcmp(facts->gpus[i].model, first->model) != 0)
            return false;
    return true;
}

static bool starts(const char *entry, size_t length, const char *with)
{
    return length >= strlen(with) && strncasecmp(entry, with, strlen(with)) == 0;
}

/* Finds the GPU whose UUID begins with this entry, which may lack the "GPU-". NOTHING: no UUID
 * does, or several do. UNSURE: the UUID of a GPU is not known. */
static int find_uuid(const struct cua_facts *facts, const char *entry, size_t length)
{
    int found = NOTHING;

    if (starts(entry, length, "GPU-")) {
        entry += 4;
        length -= 4;
    }
    for (size_t i = 0; i < facts->gpu_count; i++) {
        if (!facts->gpus[i].uuid[0])
            return UNSURE;
        if (length == 0 || strncasecmp(facts->gpus[i].uuid + 4, entry, length) != 0)
            continue;
        if (found >= 0)
            return NOTHING;
        found = (int)i;
    }
    return found;
}

/* Finds the GPU to which a MIG entry belongs. "MIG-GPU-<uuid>/1/0" contains the GPU's UUID;
 * "MIG-<uuid>", which drivers use from R470 on, does not, so the result is UNSURE. */
static int find_mig(const struct cua_facts *facts, const char *entry, size_t length)
{
    const char *slash = memchr(entry, '/', length);

    if (!starts(entry, length, "MIG-GPU-") || !slash)
        return UNSURE;
    return find_uuid(facts, entry + 4, (size_t)(slash - entry) - 4);
}

/* Finds a GPU by index; NOTHING if the index is too high. CUDA numbers only the GPUs that the
 * process can open. A GPU that was found in /sys has no minor number, so nothing shows whether the
 * process can open it. The result is UNSURE if such a GPU is one of several. */
static int find_index(const struct cua_facts *facts, size_t index)
{
    if (index >= facts->gpu_count)
        return NOTHING;
    for (size_t i = 0; facts->gpu_count > 1 && i < facts->gpu_count; i++)
        if (facts->gpus[i].minor < 0 && strcmp(facts->gpus[i].source, "nvml") != 0)
            return UNSURE;
    return (int)index;
}

static int find_entry(const struct cua_facts *facts, const char *entry, size_t length)
{
    size_t digits = strspn(entry, "0123456789");
    bool hex = length > 0 && strspn(entry, "0123456789abcdefABCDEF-") >= length;

    if (starts(entry, length, "MIG-"))
        return find_mig(facts, entry, length);
    if (starts(entry, length, "GPU-"))
        return find_uuid(facts, entry, length);
    if (digits > 0 && digits >= length)
        return find_index(facts, digits <= 4 ? (size_t)atoi(entry) : SIZE_MAX);
    if (hex && entry[0] != '-')
        return find_uuid(facts, entry, length);
    return digits > 0 ? UNSURE : NOTHING;
}

void cua_visible_read(struct cua_facts *facts, const char *list, bool fastest_first)
{
    bool by_index = false, twice = false;
    size_t seen = 0;

    if (!list) {
        show(facts, true, "CUDA_VISIBLE_DEVICES is not set: every GPU is visible");
        return;
    }
    show(facts, false, "");
    for (const char *next = list; next;) {
        const char *entry = next + strspn(next, " \t");
        size_t length = strcspn(entry, ",");
        next = entry[length] ? entry + length + 1 : NULL;
        while (length && strchr(" \t", entry[length - 1]))
            length--;

        int found = find_entry(facts, entry, length);
        if (found == UNSURE) {
            show(facts, true,
                 "CUDA_VISIBLE_DEVICES has an entry that cuarbiter cannot match to a GPU, so it "
                 "checks every GPU");
            return;
        }
        if (found == NOTHING)
            break;
        by_index |= strspn(entry, "0123456789") >= length;
        twice |= facts->gpus[found].visible && !starts(entry, length, "MIG-");
        seen += !facts->gpus[found].visible;
        facts->gpus[found].visible = true;
    }

    if (facts->gpu_count == 0 && *list)
        show(facts, false,
             "no GPU that this process can use is known, so CUDA_VISIBLE_DEVICES is not checked");
    else if (twice)
        show(facts, false, "CUDA_VISIBLE_DEVICES names a GPU twice: no GPU is visible");
    else if (seen == 0)
        show(facts, false,
             *list ? "CUDA_VISIBLE_DEVICES begins with an invalid entry: no GPU is visible"
                   : "CUDA_VISIBLE_DEVICES is empty: no GPU is visible");
    else if (by_index && fastest_first && seen < facts->gpu_count && !all_alike(facts))
        show(facts, true,
             "CUDA_VISIBLE_DEVICES numbers the GPUs by speed, which cuarbiter does not know, so it "
             "checks every GPU; set CUDA_DEVICE_ORDER=PCI_BUS_ID to avoid that");
    else
        snprintf(facts->visible_note, sizeof(facts->visible_note),
                 "CUDA_VISIBLE_DEVICES makes %zu of %zu GPUs visible", seen, facts->gpu_count);
}

void cua_visible_apply(struct cua_facts *facts, const struct cua_subject *subject,
                       const char *override_visible)
{
    const char *order = cua_subject_env(subject, "CUDA_DEVICE_ORDER");
    const char *list =
        override_visible ? override_visible : cua_subject_env(subject, "CUDA_VISIBLE_DEVICES");

    cua_visible_read(facts, list, !order || strcmp(order, "PCI_BUS_ID") != 0);
}
