/* SPDX-License-Identifier: Apache-2.0 */
#include "command/status/nvidia_hook.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "base/text.h"
#include "base/version.h"

#define FOLDER "/usr/local/cuda/compat"

/* The files in FOLDER that match libcuda.so.*.*, the pattern of NVIDIA's hook. The hook acts only
 * if exactly one file matches. `name`: the last one found. */
struct versioned_files {
    char name[64];
    unsigned count;
};

static int read_name(void *data, const char *name, unsigned char type)
{
    static const char start[] = "libcuda.so.";
    struct versioned_files *listing = data;

    (void)type;
    if (cua_starts(name, start) && strchr(name + strlen(start), '.')) {
        listing->count++;
        cua_copy(listing->name, sizeof(listing->name), name);
    }
    return 0;
}

static const struct cua_umd *find_file(const struct cua_facts *facts,
                                       const struct cua_subject *subject)
{
    struct versioned_files listing = {0};
    char folder[PATH_MAX], path[PATH_MAX];
    struct cua_umd_key key;
    struct stat st;

    if (cua_subject_list(subject, FOLDER, read_name, &listing) || listing.count != 1 ||
        cua_subject_resolve(subject, FOLDER, folder) ||
        !cua_join(path, sizeof(path), cua_subject_inside(subject, folder), listing.name) ||
        cua_subject_stat(subject, path, &st))
        return NULL;
    key = cua_umd_key_of(&st);
    return cua_facts_umd(facts, &key);
}

void cua_nvidia_hook_find(struct cua_nvidia_hook *hook, const struct cua_facts *facts,
                          const struct cua_subject *subject)
{
    const struct cua_version *kmd = &facts->kmd.version;
    const struct cua_umd *file;

    *hook = (struct cua_nvidia_hook){0};
    /* The hook changes ld.so's cache, but ld.so searches LD_LIBRARY_PATH before the cache. So
     * the hook has no effect if ld.so finds libcuda by LD_LIBRARY_PATH. */
    if (!subject->whatif || facts->kmd.platform != CUA_PLATFORM_LINUX || !cua_version_known(kmd) ||
        (facts->loader && facts->loader->found & CUA_FOUND_LIBRARY_PATH) ||
        !(file = find_file(facts, subject)) || file == facts->loader)
        return;
    hook->by_branch = hook->by_note = file->version.part[0] > kmd->part[0];
    if (file->note.present) {
        hook->by_note = false;
        for (size_t i = 0; i < file->note.branches; i++)
            hook->by_note |= file->note.branch[i] == kmd->part[0];
        hook->by_note &= cua_version_compare(&file->version, kmd) > 0;
    }
    hook->file = hook->by_branch || hook->by_note ? file : NULL;
}

const char *cua_nvidia_hook_since(const struct cua_nvidia_hook *hook)
{
    return !hook->by_note     ? "container toolkit 1.17.5 to 1.19"
           : !hook->by_branch ? "container toolkit 1.20 and later"
                              : "container toolkit 1.17.5 and later";
}
