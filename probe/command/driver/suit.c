/* SPDX-License-Identifier: Apache-2.0 */
#include "command/driver/suit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/reasons.h"
#include "cli/jsonout.h"
#include "cuarbiter/names.h"
#include "facts/circumstances.h"
#include "facts/gpu.h"
#include "facts/kmd.h"
#include "facts/mps.h"
#include "facts/toolkit.h"
#include "machine/site.h"
#include "rules/fate.h"
#include "rules/need.h"
#include "rules/words.h"
#include "tables/load.h"

#define MAJOR(cuda) ((cuda) / 1000)

void cua_suit_facts(struct cua_facts *facts, const struct cua_overrides *overrides)
{
    static const enum cua_fact order[] = {CUA_FACT_KMD, CUA_FACT_TABLES, CUA_FACT_TOOLKIT,
                                          CUA_FACT_GPUS, CUA_FACT_MPS};
    const struct cua_subject machine = {.sysroot = cua_site_sysroot(getenv(CUA_ENV_SYSROOT)),
                                        .whatif = overrides->kmd || overrides->gpu_count};
    const struct cua_subject *subject = &machine;

    memset(facts, 0, sizeof *facts);
    cua_kmd_gather(&facts->kmd, subject);
    facts->data = cua_data_for(&cua_here);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        if (order[i] == CUA_FACT_TOOLKIT)
            cua_toolkit_gather(facts, subject, NULL);
        if (order[i] == CUA_FACT_GPUS && !overrides->gpu_count)
            cua_gpus_gather(facts, subject);
        if (order[i] == CUA_FACT_MPS)
            facts->mps = facts->kmd.platform == CUA_PLATFORM_LINUX && cua_mps_live(subject);
        cua_whatif(facts, order[i], subject, overrides);
        facts->asked[order[i]] = true;
    }
    if (!subject->whatif)
        cua_circumstances_gather(facts, subject);
}

/* Describes the libcuda of an archive. The archive is not here, so its libcuda counts as one
 * without the ELF note that lists supported kernel drivers (elf/compat_note.h). */
static struct cua_umd umd_of(const struct cua_package *package)
{
    static char path[] = "libcuda.so.1";

    return (struct cua_umd){.path = path,
                            .real = path,
                            .found = CUA_FOUND_COMPAT,
                            .state = CUA_UMD_USABLE,
                            .trusted = true,
                            .companions = true,
                            .version = package->version,
                            .cuda = package->cuda};
}

static bool is_better(const struct cua_package *a, const struct cua_package *b, unsigned cuda)
{
    bool a_late = a->cuda >= cuda, b_late = b && b->cuda >= cuda;

    if (!b || a_late != b_late)
        return !b || a_late;
    if (a->cuda != b->cuda)
        return a_late ? a->cuda < b->cuda : a->cuda > b->cuda;
    int order = cua_version_compare(&a->version, &b->version);
    return order > 0 || (order == 0 && a->kind < b->kind);
}

static void describe(struct cua_suit *suit, const struct cua_facts *facts)
{
    const struct cua_gpu *gpu = facts->gpu_count ? &facts->gpus[0] : NULL;

    snprintf(suit->why, sizeof suit->why, "%s runs on kernel driver %s%s%s%s",
             suit->package->version.text, facts->kmd.version.text, gpu ? " and " : "",
             !gpu            ? ""
             : gpu->model[0] ? gpu->model
                             : "the GPUs here",
             gpu && gpu->model[0] && facts->gpu_count > 1 ? " and the other GPUs" : "");
}

/* Writes to suit->why that no archive is certain to work, and what speaks against `nearest`, the
 * best archive for the program's CUDA major. `nearest` is NULL if there is no archive for that
 * major. */
static void refuse(struct cua_suit *suit, const struct cua_facts *facts,
                   const struct cua_package *nearest)
{
    char cuda[12];
    struct cua_detail detail;

    if (!nearest) {
        snprintf(suit->why, sizeof suit->why, "cuarbiter can fetch no driver for CUDA %s",
                 cua_cuda_text(suit->cuda, cuda));
        return;
    }
    struct cua_umd umd = umd_of(nearest);
    enum cua_reason reason = cua_judge(&detail, facts, &umd);
    snprintf(
        suit->why, sizeof suit->why,
        "none of the drivers that cuarbiter can fetch is certain to work; the best for CUDA %s "
        "is %s: %s (%s)",
        cua_cuda_text(suit->cuda, cuda), nearest->version.text,
        detail.text[0] ? detail.text : cua_reason_meaning(reason), cua_reason_code(reason));
}

static void choose(struct cua_suit *suit, const struct cua_facts *facts)
{
    const struct cua_package *nearest = NULL;

    for (size_t i = 0; i < cua_package_count; i++) {
        const struct cua_package *package = &cua_packages[i];
        struct cua_umd umd = umd_of(package);
        struct cua_fate fate;
        if (strcmp(package->arch, cua_package_arch()) || MAJOR(package->cuda) != MAJOR(suit->cuda))
            continue;
        cua_fate(&fate, facts, &umd, true);
        if (is_better(package, nearest, suit->cuda))
            nearest = package;
        if (fate.works == CUA_WORKS_YES && cua_is_newer(facts, &umd) &&
            is_better(package, suit->package, suit->cuda))
            suit->package = package;
    }
    if (suit->package)
        describe(suit, facts);
    else
        refuse(suit, facts, nearest);
}

void cua_suit_of(struct cua_suit *suit, const struct cua_facts *facts)
{
    const struct cua_kmd *kmd = &facts->kmd;
    char cuda[12], own[12];

    memset(suit, 0, sizeof *suit);
    suit->cuda = facts->toolkit.cuda;
    if (cua_version_known(&kmd->version) && kmd->platform == CUA_PLATFORM_LINUX)
        suit->native = cua_data_umd_cuda(facts->data, &kmd->version);
    if (kmd->platform == CUA_PLATFORM_TEGRA)
        snprintf(
            suit->why, sizeof suit->why,
            "this machine is a Tegra (Jetson), and NVIDIA's archives are built for other machines");
    else if (kmd->platform == CUA_PLATFORM_WSL)
        snprintf(suit->why, sizeof suit->why, "WSL works only with its own libcuda");
    else if (!cua_version_known(&kmd->version))
        snprintf(suit->why, sizeof suit->why,
                 "%s; for another machine use --for-gpu MODEL --kmd VERSION --cuda X.Y",
                 kmd->platform == CUA_PLATFORM_NONE
                     ? "no NVIDIA kernel driver was found here"
                     : "the version of the NVIDIA kernel driver here is not known");
    else if (!suit->cuda)
        snprintf(suit->why, sizeof suit->why,
                 "it is not known which CUDA the program needs; pass it with --cuda X.Y");
    else if (suit->native && cua_cuda_starts(suit->native, suit->cuda))
        snprintf(suit->why, sizeof suit->why,
                 "no driver has to be added: kernel driver %s comes with CUDA %s, which can start "
                 "programs of CUDA %s",
                 kmd->version.text, cua_cuda_text(suit->native, own),
                 cua_cuda_text(suit->cuda, cuda));
    else if (cua_is_part_or_sealed(facts))
        snprintf(suit->why, sizeof suit->why,
                 "%s cuarbiter uses an added driver only if CUARBITER_LIBCUDA names it%s",
                 facts->circumstances.mig ? "a GPU here is divided by MIG, and on a part"
                                          : "in a confidential VM",
                 facts->circumstances.mig
                     ? "; for whole GPUs use --for-gpu MODEL --kmd VERSION --cuda X.Y"
                     : "");
    else
        choose(suit, facts);
}

void cua_suit_find(struct cua_suit *suit, const struct cua_overrides *overrides)
{
    struct cua_facts facts;

    cua_suit_facts(&facts, overrides);
    cua_suit_of(suit, &facts);
    cua_facts_free(&facts);
}

bool cua_suit_for_35(struct cua_suit *suit)
{
    struct cua_overrides next = {.toolkit = NULL};
    char cuda[12];

    cua_suit_find(suit, &next);
    unsigned major = (MAJOR(suit->native) + 1) * 1000;
    if (suit->native && suit->cuda < major) {
        next.toolkit = cua_cuda_text(major, cuda);
        cua_suit_find(suit, &next);
    }
    return suit->native;
}

bool cua_suit_after_804(char *text, size_t size)
{
    const struct cua_overrides nothing = {.toolkit = NULL};
    struct cua_suit suit;
    char cuda[12], own[12];

    cua_suit_find(&suit, &nothing);
    if (!suit.native || !suit.package)
        return false;
    snprintf(text, size,
             "The host's driver has CUDA %s, the image CUDA %s: with that driver, programs of CUDA "
             "%u fail with error 35. Add a driver: cuarbiter driver add %s; %s.",
             cua_cuda_text(suit.native, own), cua_cuda_text(suit.cuda, cuda), MAJOR(suit.cuda),
             suit.package->version.text, suit.why);
    return true;
}

bool cua_suit_after_35(char *text, size_t size)
{
    struct cua_suit suit;

    if (!cua_suit_for_35(&suit))
        return false;
    if (suit.package)
        snprintf(text, size, "Add a driver: cuarbiter driver add %s; %s.",
                 suit.package->version.text, suit.why);
    else
        snprintf(text, size, "'cuarbiter driver add' cannot help: %s.", suit.why);
    return true;
}

void cua_suit_json(const struct cua_suit *suit)
{
    if (!suit) {
        cua_jsonout_null("bring");
        return;
    }
    cua_jsonout_open("bring", '{');
    cua_jsonout_text("version", suit->package ? suit->package->version.text : "");
    cua_jsonout_string("why", suit->why);
    cua_jsonout_close('}');
}
