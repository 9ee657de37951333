/* SPDX-License-Identifier: Apache-2.0 */
/* Makes worlds: the program, what trials answer, what is false, and worlds bent to a purpose. */
#include "make.h"

/* Several bundled drivers, most of them with a note, that this machine would take. */
static void bend_files(struct world *world, bool native)
{
    world->platform = ON_LINUX;
    world->files = 0;
    world->loader = 0;
    world->kmd_seen = world->by_name = true;
    add_file(world, world->kmd, native ? world->kmd_build : world->kmd_build - 1)->companions =
        true;
    world->file[0].trusted = world->file[0].version_seen = true;
    world->file[0].named = NULL;
    for (size_t i = 0; i < world->branches; i++) {
        world->branch[i].accepts |= chance(50);
        make_measured(world, &world->branch[i]);
    }
    for (int i = 0; i < 3; i++) {
        add_newer(world, !chance(10));
        struct file *file = &world->file[world->files - 1];
        file->note |= file->compat_build && chance(40);
    }
}

static void bend_program(struct world *world, enum evidence evidence)
{
    world->evidence = evidence;
    if (chance(70))
        world->cuda = world->file[1 + below(3)].cuda;
    world->evidence_cuda = evidence == EVIDENCE_HINT && chance(30) ? 13000 : world->cuda;
}

static void bend(struct world *world)
{
    switch (world->number >> 40) {
    case WORLDS_OF_HINTS >> 40:
        bend_files(world, true);
        bend_program(world, EVIDENCE_HINT);
        break;
    case WORLDS_OF_RUNTIMES >> 40:
        bend_files(world, true);
        bend_program(world, EVIDENCE_EXACT);
        break;
    case WORLDS_OF_FAILURES >> 40:
        bend_files(world, false);
        bend_program(world, chance(50) ? EVIDENCE_EXACT : EVIDENCE_HINT);
        break;
    case WORLDS_OF_STORES >> 40:
        bend_files(world, true);
        for (int i = 1; i < 4; i++)
            bring(&world->file[i]);
        bend_program(world, chance(50) ? EVIDENCE_EXACT : EVIDENCE_HINT);
        break;
    default:
        break;
    }
}

static void make_program(struct world *world)
{
    static const unsigned some[] = {10010, 10020, 11000, 11080, 12000, 12020, 12040,
                                    12080, 12090, 13000, 13010, 13020, 13050, 14000};
    enum { SOME = sizeof(some) / sizeof(some[0]) };
    /* Mostly what one of the files here has: an image brings what it was built with. */
    world->cuda = world->files && chance(70) ? world->file[below((unsigned)world->files)].cuda
                                             : some[below(SOME)];
    if (chance(20))
        world->cuda = world->cuda / 1000 * 1000;
    world->jit = chance(P_JIT);
    world->bound = world->bound_seen = chance(P_BOUND);
    unsigned at = below(100);
    world->evidence = at < P_EVIDENCE_EXACT                                        ? EVIDENCE_EXACT
                      : at < P_EVIDENCE_EXACT + P_EVIDENCE_LEAST                   ? EVIDENCE_LEAST
                      : at < P_EVIDENCE_EXACT + P_EVIDENCE_LEAST + P_EVIDENCE_HINT ? EVIDENCE_HINT
                                                                                   : EVIDENCE_NONE;
    world->evidence_cuda = world->cuda;
    if (world->evidence == EVIDENCE_LEAST && world->cuda < 11000)
        world->evidence = EVIDENCE_EXACT; /* libcudart.so.10.1 */
    if (world->evidence == EVIDENCE_LEAST)
        world->evidence_cuda = world->cuda / 1000 * 1000;
    if (world->evidence == EVIDENCE_HINT && chance(P_HINT_WRONG))
        world->evidence_cuda = some[below(SOME)];
    if (world->evidence == EVIDENCE_NONE)
        world->evidence_cuda = 0;
}

/* What a trial of a file brings, in the devices that are visible when it runs. */
static void make_trials(struct world *world)
{
    static const int noise[] = {2, 46, 802, 805, 999, TRIAL_SILENT};
    struct world now = *world;

    now.cuda = 0;
    now.jit = now.bound = false;
    for (size_t i = 0; i < now.gpus; i++)
        now.gpu[i].visible_later = now.gpu[i].visible;
    for (size_t i = 0; i < world->files; i++) {
        struct file *file = &world->file[i];
        now.file[i].loads |= chance(50); /* what a program lacks a trial does not see */
        world_outcome(&now, (int)i, &file->trial);
        /* A context is never made. */
        if (file->trial == 209)
            file->trial = 0;
        if (file->make == MAKE_DAMAGED)
            file->trial = TRIAL_NOT_LOADED;
        if (world->no_gpu && file->trial == 0)
            file->trial = 100;
        else if (chance(P_TRIAL_NOISE) && file->trial == 0)
            file->trial = noise[below(sizeof(noise) / sizeof(noise[0]))];
        else if (chance(P_TRIAL_NOISE))
            file->trial = TRIAL_SILENT;
    }
}

static void lie_in_note(struct world *world)
{
    for (size_t i = 0; i < world->files; i++) {
        struct file *file = &world->file[i];
        if (!file->note)
            continue;
        if (chance(50))
            file->note_lists_kmd = !file->note_lists_kmd;
        else
            file->note_brands ^= 1u << world->gpu[0].brand;
    }
}

static void make_apart(struct world *world)
{
    unsigned at = below(1000) / M_APART;

    world->apart = at + 1 < APARTS ? (enum apart)(at + 1) : APART_NOT;
    switch (world->apart) {
    case APART_DOCUMENT:
        for (size_t i = 0; i < world->branches; i++) {
            world->branch[i].brands |= CONSUMER;
            world->branch[i].least_cc = 30;
            world->branch[i].measured = false;
        }
        for (size_t i = 0; i < world->files; i++)
            world->file[i].note_brands |= CONSUMER;
        break;
    case APART_NOTE:
        lie_in_note(world);
        break;
    case APART_UNHIDES:
        for (size_t i = 0; i < world->gpus; i++)
            world->gpu[i].visible_later = chance(50);
        if (world->gpus == 1)
            world->gpu[0].visible_later = true;
        break;
    case APART_OTHER_RUN:
        if (world->evidence >= EVIDENCE_LEAST && world->evidence_cuda < 14000)
            world->evidence_cuda += 1000;
        break;
    case APART_BOUND:
        world->bound = true;
        world->bound_seen = false;
        break;
    case APART_GPU:
        world->gpu[0].brand_shown = any_brand();
        world->gpu[0].cc_shown = any_cc(world);
        world->gpu[0].brand_seen = world->gpu[0].cc_seen = true;
        break;
    case APART_MPS:
        world->mps = true;
        world->mps_seen = false;
        break;
    case APART_LOAD:
    default:
        break;
    }
}

/* What is asked only where native works too. Last, so that worlds stay what they were. */
static void make_minor(struct world *world)
{
    world->part_of_gpu = world->platform == ON_LINUX && chance(P_MPS);
    world->part_breaks = world->part_of_gpu && chance(50);
    world->graphics_seen = world->bound ? chance(50) : chance(P_BOUND);
    if (chance(70))
        world->image = world->files && chance(30) ? world->file[below((unsigned)world->files)].cuda
                                                  : world->cuda;
    world->refused = chance(P_REFUSED);
    world->several = chance(P_SEVERAL);
    world->place = chance(P_PLACE);
    world->first = chance(P_FIRST);
}

void world_make(struct world *world, uint64_t number, unsigned variant)
{
    *world = (struct world){.number = number};
    chance_start(number);
    world->platform = chance(P_WSL) ? ON_WSL : chance(P_TEGRA) ? ON_TEGRA : ON_LINUX;
    make_kmd(world);
    chance_vary(variant);
    world->mps = chance(P_MPS);
    world->mps_seen = world->mps || chance(P_MPS_TOO);
    world->trials = chance(P_TRIALS);
    world->no_gpu = chance(P_TRIAL_NOISE);
    make_gpus(world);
    make_branches(world);
    make_files(world);
    make_program(world);
    bend(world);
    make_brought(world);
    make_apart(world);
    make_trials(world);
    for (size_t i = 0; world->apart == APART_LOAD && i < world->files; i++)
        if (world->file[i].branch != world->kmd)
            world->file[i].trial = TRIAL_NOT_LOADED;
    make_minor(world);
}
