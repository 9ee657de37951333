/* SPDX-License-Identifier: Apache-2.0 */
/* What is true in a world, whatever can be seen of it. */
#include <stdio.h>

#include "world.h"

/* 804 and 803 in the driver's own order: the branch, then the brand of every visible GPU. */
static int initialise_newer(const struct world *world, const struct file *file)
{
    if (!file->compat_build || !file->branch->accepts)
        return 803;
    for (size_t i = 0; i < world->gpus; i++)
        if (world->gpu[i].visible_later && !(file->branch->brands >> world->gpu[i].brand & 1))
            return 804;
    return world->mps ? 805 : 0;
}

static bool is_native(const struct world *world, const struct file *file)
{
    return file->branch == world->kmd && file->build == world->kmd_build;
}

static bool is_newer(const struct world *world, const struct file *file)
{
    return file->branch > world->kmd ||
           (file->branch == world->kmd && file->build > world->kmd_build);
}

/* What cuInit answers. */
static int initialise(const struct world *world, const struct file *file)
{
    if (file->make == MAKE_STUB)
        return 34;
    if (file->make == MAKE_FOREIGN)
        return 0;
    if (file->made_for != world->platform)
        return 803;
    if (world->platform == ON_WSL || is_native(world, file))
        return 0;
    return is_newer(world, file) ? initialise_newer(world, file) : 803;
}

static bool makes_context(const struct world *world, const struct file *file)
{
    bool any = false;

    for (size_t i = 0; i < world->gpus; i++) {
        if (!world->gpu[i].visible_later)
            continue;
        any = true;
        if (file->make == MAKE_DRIVER && world->platform == ON_LINUX &&
            world->gpu[i].cc < file->branch->least_cc)
            return false;
    }
    return any;
}

enum outcome world_outcome(const struct world *world, int at, int *code)
{
    const struct file *file = at >= 0 ? &world->file[at] : NULL;
    int unused;

    code = code ? code : &unused;
    *code = TRIAL_NOT_LOADED;
    if (!file || file->make == MAKE_DAMAGED)
        return FAILS;
    if (!file->loads)
        return DIES;
    *code = initialise(world, file);
    if (*code)
        return FAILS;
    if (!makes_context(world, file))
        *code = 209;
    else if (file->make == MAKE_FOREIGN)
        return RUNS;
    else if (world->bound && !is_native(world, file))
        *code = 999;
    else if (world->cuda / 1000 > file->cuda / 1000 ||
             (world->cuda < 11000 && world->cuda > file->cuda))
        *code = 35;
    else if (world->jit && !file->companions)
        *code = 221;
    else if (world->jit && world->cuda > file->cuda) {
        *code = 222;
        return LIMITED;
    }
    return *code ? FAILS : RUNS;
}

static bool is_consumer(int brand)
{
    return brand == 5 || brand == 6;
}

/* The file's own note, and what NVIDIA's documents settle. */
static bool told_by_note(const struct world *world, const struct file *file)
{
    bool consumers = true;

    for (size_t i = 0; i < world->gpus; i++) {
        consumers &= is_consumer(world->gpu[i].brand);
        if (file->note && file->note_lists_kmd && !is_consumer(world->gpu[i].brand) &&
            !(file->note_has_brands && file->note_brands >> world->gpu[i].brand & 1))
            return false;
    }
    return file->note || consumers;
}

/* What reports, images and NVIDIA's pages say of a compat build, as the folder says it is one: that
 * keeps it, and may take it. */
static bool is_declared(const struct world *world, const struct file *file)
{
    const struct branch *branch = file->branch;
    bool listed = branch->measured ? branch->measured_code != 803
                                   : branch->list_says && branch->list_basis == BASIS_DECLARED;

    for (size_t i = 0; i < world->gpus; i++) {
        int brand = world->gpu[i].brand;
        bool ran =
            branch->measured && branch->measured_code != 803 && branch->measured_brand == brand;
        if (ran ? branch->measured_code == 804 : !(branch->brands_say >> brand & 1))
            return false;
    }
    return (file->compat_folder || file->note) && (file->note ? file->note_lists_kmd : listed);
}

/* `strictly`: by its note alone. */
static bool is_told(const struct world *world, const struct file *file, bool strictly)
{
    int code = initialise(world, file);

    if (!file->version_seen || file->named || !file->companions ||
        file->made_for != world->platform || file->make == MAKE_FOREIGN)
        return false;
    if (file->make != MAKE_DRIVER || !is_newer(world, file))
        return true;
    if (!file->branch->in_tables || told_by_note(world, file) || strictly)
        return file->branch->in_tables && told_by_note(world, file);
    /* What a hint speaks for and only a trial finds has to be declared too. */
    if (world->evidence == EVIDENCE_HINT && code == 0 && !is_declared(world, file))
        return false;
    return file->trial == code && (code == 0 || !is_declared(world, file));
}

bool world_note_tells(const struct world *world, int at)
{
    const struct file *file = &world->file[at];

    return file->make == MAKE_DRIVER && file->made_for == world->platform && file->version_seen &&
           !file->named && file->trusted && file->note && is_newer(world, file) &&
           file->branch->in_tables && told_by_note(world, file);
}

/* Of a hint the rules make use only where the loader's choice is native, or fails by itself. */
static bool program_is_told(const struct world *world)
{
    const struct file *loader = world->loader >= 0 ? &world->file[world->loader] : NULL;

    if (world->evidence >= EVIDENCE_LEAST)
        return true;
    return world->evidence == EVIDENCE_HINT && world->evidence_cuda == world->cuda &&
           world->cuda >= 11000 && world->by_name &&
           (!loader || is_native(world, loader) || initialise(world, loader));
}

/* One kind of GPU, and all that is to be known of it; a Linux machine whose kernel driver is seen.
 */
bool world_is_clear(const struct world *world)
{
    const struct gpu *first = &world->gpu[0];

    for (size_t i = 0; i < world->gpus; i++) {
        const struct gpu *gpu = &world->gpu[i];
        if (!gpu->visible || !gpu->brand_seen || gpu->brand_guessed || !gpu->cc_seen ||
            gpu->brand != first->brand || gpu->cc != first->cc)
            return false;
    }
    return !world->apart && world->platform == ON_LINUX && world->kmd_seen && world->gpus_seen &&
           !world->mps && !world->mps_seen && !world->bound && !world->no_gpu;
}

bool world_is_told(const struct world *world)
{
    if (!world_is_clear(world) || !program_is_told(world))
        return false;
    /* Without a trial a hint and a runtime take more than a declaration. */
    for (size_t i = 0; i < world->files; i++)
        if (!is_told(world, &world->file[i], !world->trials))
            return false;
    return true;
}

static void print_file(const struct world *world, int at)
{
    static const char *const makes[] = {"driver", "stub", "damaged", "foreign"};
    const struct file *file = &world->file[at];
    int code;
    enum outcome outcome = world_outcome(world, at, &code);

    printf("#  %c%d %u.%u cuda %u %s%s for %d%s%s%s%s%s", at == world->loader ? '*' : ' ', at,
           file->branch->number, file->build, file->cuda, makes[file->make],
           file->compat_build ? " compat" : "", file->made_for, file->companions ? "" : " alone",
           file->version_seen ? file->named ? " named otherwise" : "" : " no version seen",
           file->compat_folder  ? " in compat"
           : file->known_folder ? ""
                                : " somewhere",
           file->trusted ? "" : " not trusted", file->note ? " note" : "");
    if (file->note)
        printf(" (%s, brands %x)", file->note_lists_kmd ? "lists it" : "does not list it",
               file->note_has_brands ? file->note_brands : 0);
    printf("; trial %d; ends in %d: %s\n", file->trial, code,
           outcome == RUNS      ? "runs"
           : outcome == LIMITED ? "limited"
           : outcome == FAILS   ? "fails"
                                : "does not load");
    printf("#      truth: %s brands %x cc %u; list %d says %d, brands %x; measured %d: %d on %d cc "
           "%u\n",
           file->branch->accepts ? "accepted" : "refused", file->branch->brands,
           file->branch->least_cc, file->branch->list_basis, file->branch->list_says,
           file->branch->brands_say, file->branch->measured, file->branch->measured_code,
           file->branch->measured_brand, file->branch->measured_cc);
}

void world_print(const struct world *world)
{
    static const char *const evidences[] = {"nothing", "hint", "at least", "exact"};

    printf("# world %llu: platform %d, kernel driver %u.%u%s, apart %d%s%s%s\n",
           (unsigned long long)world->number, world->platform, world->kmd->number, world->kmd_build,
           world->kmd_seen ? "" : " (not seen)", world->apart, world->mps ? ", MPS" : "",
           world->mps_seen ? ", MPS seen" : "", world->trials ? ", trials" : "");
    for (size_t i = 0; i < world->gpus; i++) {
        const struct gpu *gpu = &world->gpu[i];
        printf("#   GPU brand %d cc %u%s%s, shown %d %u%s%s%s\n", gpu->brand, gpu->cc,
               gpu->visible ? "" : " hidden", gpu->visible_later ? "" : " hidden later",
               gpu->brand_shown, gpu->cc_shown, gpu->brand_seen ? "" : ", brand not seen",
               gpu->cc_seen ? "" : ", cc not seen", world->gpus_seen ? "" : ", no list");
    }
    for (size_t i = 0; i < world->files; i++)
        print_file(world, (int)i);
    printf("#   program: CUDA %u%s%s; %s %u\n", world->cuda, world->jit ? ", PTX" : "",
           world->bound ? ", bound" : "", evidences[world->evidence], world->evidence_cuda);
}
