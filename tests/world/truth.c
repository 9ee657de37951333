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
    else if ((world->bound || (world->part_breaks && is_newer(world, file))) &&
             !is_native(world, file))
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
    if (world->part_of_gpu) /* what a part allows is not known */
        return false;
    if (!world_is_clear(world) || !program_is_told(world))
        return false;
    /* Without a trial a hint and a runtime take more than a declaration. */
    for (size_t i = 0; i < world->files; i++)
        if (!world->file[i].brought && !is_told(world, &world->file[i], !world->trials))
            return false;
    return true;
}

#define ALL_BRANDS 0x7266u /* what machine.c has */

static const char *brand_name(int brand)
{
    static const char *const names[] = {
        [1] = "Quadro", [2] = "Tesla",       [5] = "GeForce",     [6] = "TITAN",
        [9] = "vGPU",   [12] = "Quadro RTX", [13] = "NVIDIA RTX", [14] = "NVIDIA"};

    return names[brand];
}

static void print_brands(const char *what, uint32_t brands)
{
    printf("%s", what);
    for (int i = 0; i < 16; i++)
        if (brands >> i & 1 && (1u << i & ALL_BRANDS))
            printf(" %s,", brand_name(i));
    printf(" no other");
}

static void print_cuda(unsigned cuda)
{
    printf("CUDA %u.%u", cuda / 1000, cuda % 1000 / 10);
}

static void print_code(int code)
{
    if (code >= 0)
        printf("%d", code);
    else
        printf("%s", code == TRIAL_SILENT ? "nothing" : "that it does not load");
}

/* The branch: what is true of it, and what the tables say. */
static void print_branch(const struct branch *branch)
{
    static const char *const bases[] = {"no list", "a guessed list", "a declared list",
                                        "a measured list"};

    printf("#     truth: the branch %s this kernel driver's, from capability %u on; ",
           branch->accepts ? "accepts" : "refuses", branch->least_cc);
    print_brands("open to", branch->brands);
    printf("\n#     the tables: %s", bases[branch->list_basis]);
    if (branch->list_basis)
        printf(" that %s it; ", branch->list_says ? "has" : "lacks");
    if (branch->list_basis)
        print_brands("declared open to", branch->brands_say);
    if (branch->measured)
        printf("; a run ended in %d, on %s of %u", branch->measured_code,
               brand_name(branch->measured_brand), branch->measured_cc);
    printf("\n");
}

static void print_file(const struct world *world, int at)
{
    static const char *const makes[] = {"driver", "stub", "damaged file", "other maker's file"};
    static const char *const fors[] = {"", " for WSL", " for Tegra"};
    static const char *const ends[] = {"ld.so refuses it", "fails", "runs in part", "runs"};
    const struct file *file = &world->file[at];
    int code;
    enum outcome outcome = world_outcome(world, at, &code);

    printf("#   file %d%s: %s%s %u.%u of ", at, at == world->loader ? ", the loader's choice" : "",
           is_native(world, file) ? "native "
           : file->compat_build   ? "compat "
                                  : "",
           makes[file->make], file->branch->number, file->build);
    print_cuda(file->cuda);
    printf("%s, in %s%s%s%s%s", fors[file->made_for],
           file->brought         ? "a store"
           : file->compat_folder ? "a compat folder"
           : file->known_folder  ? "a known folder"
                                 : "another folder",
           file->companions ? "" : ", without companions",
           file->version_seen ? "" : ", its version not seen",
           file->named ? ", named otherwise" : "", file->trusted ? "" : ", not trusted");
    if (file->note) {
        printf(", its note %s the kernel driver's", file->note_lists_kmd ? "has" : "lacks");
        print_brands(" and has", file->note_has_brands ? file->note_brands : 0);
    }
    printf("; a trial answers ");
    print_code(file->trial);
    printf("; the program with it ends in ");
    print_code(code);
    printf(": %s\n", ends[outcome]);
    print_branch(file->branch);
}

void world_print(const struct world *world)
{
    static const char *const evidences[] = {"nothing", "the image's word, a hint,",
                                            "a runtime, as a lower bound,", "a runtime, exactly"};
    static const char *const platforms[] = {"Linux", "WSL", "Tegra"};

    printf("# world %llu: %s, kernel driver %u.%u%s; trials %s%s%s%s; what is false: class %d\n",
           (unsigned long long)world->number, platforms[world->platform], world->kmd->number,
           world->kmd_build, world->kmd_seen ? "" : ", which is not seen",
           world->trials ? "may run" : "may not run", world->mps ? "; an MPS daemon" : "",
           world->mps_seen ? "; an MPS daemon is seen" : "",
           world->no_gpu ? "; a trial is given no GPU" : "", world->apart);
    for (size_t i = 0; i < world->gpus; i++) {
        const struct gpu *gpu = &world->gpu[i];
        printf("#   a GPU: %s, capability %u%s%s; seen as %s %u%s%s%s\n", brand_name(gpu->brand),
               gpu->cc, gpu->visible ? "" : ", hidden now",
               gpu->visible_later ? "" : ", hidden when the program starts CUDA",
               brand_name(gpu->brand_shown), gpu->cc_shown,
               gpu->brand_seen ? "" : ", its brand not", gpu->cc_seen ? "" : ", its capability not",
               world->gpus_seen ? "" : ", all of them not");
    }
    for (size_t i = 0; i < world->files; i++)
        print_file(world, (int)i);
    printf("#   the program: ");
    print_cuda(world->cuda);
    printf("%s%s; what is seen of it: %s ", world->jit ? ", PTX of it" : "",
           world->bound ? ", native's other libraries" : "", evidences[world->evidence]);
    if (world->evidence)
        print_cuda(world->evidence_cuda);
    printf("\n");
}
