/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a world: native, bundled, and what else lies about. */
#include "make.h"

struct file *add_file(struct world *world, struct branch *branch, unsigned build)
{
    struct file *file = &world->file[world->files++];

    *file = (struct file){.branch = branch,
                          .build = build,
                          .made_for = world->platform,
                          .cuda = branch->cuda,
                          .companions = !chance(P_COMPANIONS_MISSING),
                          .loads = !chance(P_NOT_LOADING),
                          .version_seen = !chance(P_VERSION_NOT_SEEN),
                          .known_folder = true,
                          .trusted = !chance(P_NOT_TRUSTED)};
    if (chance(P_NAMED_OTHERWISE)) {
        bool as_native = chance(50);
        file->named = as_native ? world->kmd : &world->branch[below((unsigned)world->branches)];
        file->named_build = as_native ? world->kmd_build : below(200);
    }
    return file;
}

static void add_bundled(struct world *world, struct branch *branch, unsigned build, bool compat)
{
    struct file *file = add_file(world, branch, build);

    file->compat_build = compat;
    file->compat_folder = chance(compat ? P_COMPAT_IN_FOLDER : P_ORDINARY_IN_FOLDER);
    file->known_folder = file->compat_folder || chance(70);
    file->note = compat && chance(P_NOTE);
    file->note_lists_kmd = branch->accepts;
    file->note_brands = branch->brands;
    file->note_has_brands = chance(P_NOTE_OF_BRANDS);
    if (chance(P_WRONG_PLATFORM))
        file->made_for = world->platform == ON_LINUX ? ON_TEGRA : ON_LINUX;
}

void add_newer(struct world *world, bool compat)
{
    size_t own = (size_t)(world->kmd - world->branch), above = (unsigned)world->branches - 1 - own;
    size_t i = own + (chance(10) ? 0 : 1 + below((unsigned)above < 8 ? (unsigned)above : 8));

    add_bundled(world, &world->branch[i], i == own ? world->kmd_build + 1 + below(50) : below(200),
                compat);
}

static void add_older(struct world *world)
{
    size_t own = (size_t)(world->kmd - world->branch), i = chance(30) ? own
                                                           : own      ? below((unsigned)own)
                                                                      : 0;

    add_bundled(world, &world->branch[i], i == own ? below(world->kmd_build) : below(200),
                chance(70));
}

void bring(struct file *file)
{
    file->brought = file->trusted = true;
    file->compat_folder = file->known_folder = false;
    file->named = NULL;
    file->note |= file->compat_build && chance(50);
}

void make_brought(struct world *world)
{
    if (!chance(P_BROUGHT))
        return;
    for (unsigned i = 1 + below(3); i > 0 && world->files < MOST_FILES; i--) {
        add_newer(world, !chance(P_ORDINARY_NEWER));
        bring(&world->file[world->files - 1]);
    }
}

void make_files(struct world *world)
{
    int native = -1;

    if (chance(P_NATIVE)) {
        native = (int)world->files;
        add_file(world, world->kmd, world->kmd_build)->trusted = true;
        world->file[0].companions = true;
        if (chance(P_NATIVE_TWICE))
            add_bundled(world, world->kmd, world->kmd_build, chance(50));
    }
    if (chance(P_NEWER))
        add_newer(world, true);
    if (chance(P_SECOND_NEWER))
        add_newer(world, true);
    if (chance(P_OLDER))
        add_older(world);
    if (chance(P_ORDINARY_NEWER))
        add_newer(world, false);
    if (chance(P_STUB))
        add_file(world, &world->branch[below((unsigned)world->branches)], 0)->make = MAKE_STUB;
    if (chance(P_DAMAGED))
        add_file(world, &world->branch[below((unsigned)world->branches)], 0)->make = MAKE_DAMAGED;
    if (world->files < MOST_FILES && chance(P_FOREIGN))
        add_file(world, world->kmd, 0)->make = MAKE_FOREIGN;
    world->loader = !world->files || chance(P_LOADS_NONE)   ? -1
                    : native >= 0 && chance(P_LOADS_NATIVE) ? native
                                                            : (int)below((unsigned)world->files);
    world->by_name = chance(P_BY_NAME);
}
