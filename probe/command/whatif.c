/* SPDX-License-Identifier: Apache-2.0 */
#include "command/whatif.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "facts/gpu.h"
#include "facts/native.h"
#include "facts/visible.h"

unsigned cua_cc_parse(const char *s)
{
    unsigned dotted = cua_cuda_parse(s); /* 8.9 is parsed as 8090 */

    return dotted % 1000 < 100 ? dotted / 1000 * 10 + dotted % 1000 / 10 : 0;
}

static void put_kmd(struct cua_kmd *kmd, const char *version)
{
    *kmd = (struct cua_kmd){.platform = CUA_PLATFORM_LINUX, .source = "--kmd"};
    if (!cua_version_of_driver(&kmd->version, version))
        snprintf(kmd->trouble, sizeof(kmd->trouble), "%.100s is not a driver version", version);
}

/* Adds the libcuda that a container runtime would mount from the host when it starts the container.
 * It has the kernel driver's version, and all its companions (the libraries that libcuda opens,
 * such as the PTX compiler). Adds none if the facts have a usable libcuda of that version already:
 * the one that ld.so would find, or the one that CUARBITER_LIBCUDA names. If ld.so would find none,
 * the added one becomes the file that it finds. */
static void add_mounted(struct cua_facts *facts)
{
#if defined(__aarch64__)
    static const char folder[] = "/usr/lib/aarch64-linux-gnu";
#else
    static const char folder[] = "/usr/lib/x86_64-linux-gnu";
#endif
    struct cua_umd *umd;

    for (umd = facts->umds; umd; umd = umd->hh.next)
        if (cua_is_native(facts, umd))
            return;
    umd = calloc(1, sizeof(*umd));
    if (!umd)
        return;
    umd->key.ino = (ino_t)-1;
    umd->version = facts->kmd.version;
    umd->found = CUA_FOUND_DEFAULT;
    umd->trusted = umd->companions = true;
    if (asprintf(&umd->path, "%s/libcuda.so.%s", folder, umd->version.text) < 0)
        umd->path = NULL;
    umd->real = umd->path ? strdup(umd->path) : NULL;
    if (umd->real)
        HASH_ADD(hh, facts->umds, key, sizeof(umd->key), umd);
    if (umd->hh.tbl) {
        facts->loader = facts->loader ? facts->loader : umd;
        return;
    }
    free(umd->real);
    free(umd->path);
    free(umd);
}

static void put_gpus(struct cua_facts *facts, const struct cua_overrides *overrides)
{
    if (overrides->gpu_count) {
        free(facts->gpus);
        facts->gpus = calloc(overrides->gpu_count, sizeof(*facts->gpus));
        facts->gpu_count = facts->gpus ? overrides->gpu_count : 0;
        facts->gpus_known = facts->gpu_count;
    }
    for (size_t i = 0; i < facts->gpu_count; i++) {
        struct cua_gpu *gpu = &facts->gpus[i];
        if (overrides->gpu_count) {
            *gpu = (struct cua_gpu){.brand = CUA_BRAND_UNKNOWN, .visible = true};
            cua_copy(gpu->model, sizeof(gpu->model), overrides->gpu[i]);
            cua_gpu_identify(gpu, facts->data);
            gpu->guessed = false;
            strcpy(gpu->source, "--gpu");
        }
        if (i < overrides->cc_count && cua_cc_parse(overrides->cc[i])) {
            gpu->cc = cua_cc_parse(overrides->cc[i]);
            strcpy(gpu->source, "--cc");
        }
    }
}

void cua_whatif(struct cua_facts *facts, enum cua_fact fact, const struct cua_subject *subject,
                const void *data)
{
    const struct cua_overrides *overrides = data;

    if (fact == CUA_FACT_KMD && overrides->kmd)
        put_kmd(&facts->kmd, overrides->kmd);
    if (fact == CUA_FACT_LOADER && overrides->mounted && cua_version_known(&facts->kmd.version))
        add_mounted(facts);
    if (fact == CUA_FACT_TOOLKIT && overrides->toolkit) {
        facts->toolkit = (struct cua_toolkit){.kind = CUA_TOOLKIT_EXACT,
                                              .cuda = cua_cuda_parse(overrides->toolkit),
                                              .source = "--toolkit"};
    }
    if (fact == CUA_FACT_GPUS) {
        put_gpus(facts, overrides);
        cua_visible_apply(facts, subject, overrides->visible);
    }
    if (fact == CUA_FACT_MPS && overrides->kmd)
        facts->mps = false;
}
