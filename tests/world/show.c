/* SPDX-License-Identifier: Apache-2.0 */
/* What can be seen of a world, as the facts that the rules ask for. */
#include "adapter.h"

#include <stdio.h>
#include <string.h>

static void show_measured(struct game *game, const struct world *world, const struct branch *branch)
{
    struct cua_row_measured *row = &game->measured[game->data.measureds++];

    *row = (struct cua_row_measured){.umd = branch->number,
                                     .kmd = world->kmd->number,
                                     .brand = branch->measured_brand,
                                     .cc = branch->measured_cc};
    row->end = branch->measured_code == 803   ? CUA_RUN_803
               : branch->measured_code == 804 ? CUA_RUN_804
               : branch->measured_code == 209 ? CUA_RUN_CONTEXT
                                              : CUA_RUN_RUNS;
}

static void show_list(struct game *game, const struct world *world, const struct branch *branch)
{
    struct cua_row_forward *row = &game->forward[game->data.forwards++];

    *row = (struct cua_row_forward){
        .branch = branch->number,
        .complete = branch->list_basis == BASIS_DECLARED,
        .kmd = {branch->number},
        .grade = branch->list_basis == BASIS_DECLARED ? CUA_GRADE_DECLARED : CUA_GRADE_GUESS};
    if (branch->list_says)
        row->kmd[1] = world->kmd->number;
}

static void show_tables(struct game *game, const struct world *world)
{
    struct cua_data *data = &game->data;

    *data = cua_data_builtin;
    data->umd = game->umd;
    data->forward = game->forward;
    data->brands = game->brands;
    data->cc = game->cc;
    data->measured = game->measured;
    data->umds = data->forwards = data->brandses = data->ccs = data->measureds = data->tegras = 0;
    for (size_t i = 0; i < world->branches; i++) {
        const struct branch *branch = &world->branch[i];
        if (branch->measured)
            show_measured(game, world, branch);
        if (!branch->in_tables)
            continue;
        game->umd[data->umds++] =
            (struct cua_row_umd){branch->number, branch->cuda, CUA_GRADE_MEASURED};
        game->cc[data->ccs++] =
            (struct cua_row_cc){branch->number, branch->least_cc_says, CUA_GRADE_DECLARED};
        game->brands[data->brandses++] =
            (struct cua_row_brands){branch->number, 0, branch->brands_say, CUA_GRADE_DECLARED};
        if (branch->list_basis != BASIS_NONE)
            show_list(game, world, branch);
    }
    game->facts.data = data;
}

static void show_version(struct cua_version *version, unsigned branch, unsigned build)
{
    char text[32];

    snprintf(text, sizeof text, "%u.%u.01", branch, build);
    cua_version_parse(version, text);
}

static void show_note(struct cua_note *note, const struct world *world, const struct file *file)
{
    if (!file->note)
        return;
    note->present = true;
    note->cuda = file->cuda;
    if (file->made_for == ON_TEGRA)
        return;
    note->has_branches = true;
    note->branch[note->branches++] = file->branch->number + 1;
    if (file->note_lists_kmd)
        note->branch[note->branches++] = world->kmd->number;
    note->has_brands = file->note_has_brands;
    for (int i = 0; i < 32 && file->note_has_brands; i++)
        if (file->note_brands >> i & 1)
            note->brand[note->brands++] = i;
}

/* The tables tell it by the version; of Tegra's own only by the kernel module's. */
static void show_cuda(struct cua_umd *umd, const struct file *file)
{
    const struct branch *branch = umd->version_doubtful ? file->named : file->branch;
    bool told = (file->version_seen || umd->version_doubtful) && branch->in_tables &&
                (file->made_for == ON_LINUX || (file->made_for == ON_TEGRA && !file->compat_build));

    umd->cuda = umd->note.cuda ? umd->note.cuda : told ? branch->cuda : 0;
}

static struct cua_umd *show_file(struct game *game, const struct world *world, size_t at)
{
    static const enum cua_umd_state states[] = {CUA_UMD_USABLE, CUA_UMD_STUB, CUA_UMD_DAMAGED,
                                                CUA_UMD_FOREIGN};
    const struct file *file = &world->file[at];
    size_t slot = at + (world == game->world ? 0 : MOST_FILES);
    struct cua_umd *umd = &game->file[slot];

    if (umd->path)
        return umd;
    snprintf(game->path[slot], sizeof game->path[slot],
             file->brought              ? "/opt/cuarbiter/drivers/%zu/libcuda.so.1"
             : file->made_for == ON_WSL ? "/usr/lib/wsl/%zu/libcuda.so.1"
             : file->compat_folder      ? "/usr/local/cuda-%zu/compat/libcuda.so.1"
                                        : "/usr/lib/%zu/libcuda.so.1",
             slot);
    umd->key.ino = slot + 1;
    umd->path = umd->real = game->path[slot];
    umd->found = file->brought         ? CUA_FOUND_BROUGHT
                 : file->compat_folder ? CUA_FOUND_COMPAT
                 : file->known_folder  ? CUA_FOUND_DEFAULT
                                       : CUA_FOUND_LIBRARY_PATH;
    umd->state = states[file->make];
    umd->trusted = file->trusted;
    umd->companions = file->companions;
    umd->tegra = file->made_for == ON_TEGRA;
    show_note(&umd->note, world, file);
    umd->cuda = umd->note.cuda;
    umd->version_doubtful = file->named && file->made_for == ON_LINUX;
    if (umd->version_doubtful)
        show_version(&umd->version, file->named->number, file->named_build);
    else if (file->version_seen && file->made_for == ON_LINUX)
        show_version(&umd->version, file->branch->number, file->build);
    if (game->facts.asked[CUA_FACT_TABLES])
        show_cuda(umd, file);
    HASH_ADD(hh, game->facts.umds, key, sizeof umd->key, umd);
    return umd;
}

/* By what is seen: the kernel driver's version, the place on WSL, no compat build on Tegra. */
static bool looks_native(const struct world *world, const struct file *file)
{
    if (file->make != MAKE_DRIVER || file->made_for != world->platform)
        return false;
    if (world->platform == ON_WSL)
        return true;
    if (world->platform == ON_TEGRA)
        return !file->note && !file->compat_folder;
    return world->kmd_seen && file->version_seen && file->branch->number == world->kmd->number &&
           file->build == world->kmd_build;
}

/* By its content, as far as that shows it. */
static void make_sure(struct game *game, struct cua_umd *umd, const struct file *file)
{
    if (!umd->version_doubtful)
        return;
    umd->version_doubtful = false;
    memset(&umd->version, 0, sizeof umd->version);
    if (file->version_seen)
        show_version(&umd->version, file->branch->number, file->build);
    if (game->facts.asked[CUA_FACT_TABLES])
        show_cuda(umd, file);
}

static void show_native(struct game *game, const struct world *world)
{
    int best = -1;

    /* Where the rules did not ask, the name was good enough for them. */
    if (game->world->loader >= 0 && world == game->world)
        make_sure(game, &game->file[game->world->loader], &game->world->file[game->world->loader]);
    for (int i = 0; i < (int)world->files; i++) {
        const struct file *file = &world->file[i];
        bool loader = world == game->world && i == world->loader;
        if (file->brought || !looks_native(world, file) || !(file->trusted || loader) ||
            (file->named && !loader))
            continue;
        if (best < 0 || loader ||
            (file->compat_folder < world->file[best].compat_folder && best != world->loader))
            best = i;
    }
    /* What another world holds does not unseat the loader's choice. */
    if (world != game->world && game->facts.loader &&
        looks_native(game->world, &game->world->file[game->world->loader]))
        game->facts.native = game->facts.loader;
    else
        game->facts.native = best < 0 ? NULL : show_file(game, world, (size_t)best);
}

static void show_gpus(struct game *game, const struct world *world)
{
    struct cua_facts *facts = &game->facts;

    facts->gpus = game->gpu;
    facts->gpu_count = world->gpus_seen ? world->gpus : 0;
    facts->gpus_known = world->gpus_seen;
    for (size_t i = 0; i < facts->gpu_count; i++) {
        const struct gpu *gpu = &world->gpu[i];
        game->gpu[i] = (struct cua_gpu){.brand = gpu->brand_seen ? gpu->brand_shown : -1,
                                        .cc = gpu->cc_seen ? gpu->cc_shown : 0,
                                        .guessed = gpu->brand_guessed,
                                        .visible = gpu->visible};
    }
}

/* Where nobody has decided yet, who may not be the first decides for the host's driver. */
void show_agreed(struct game *game)
{
    struct agreement *agreement = game->agreement;
    struct cua_agreed *agreed = &game->facts.agreed;

    *agreed = (struct cua_agreed){.what = CUA_AGREED_NATIVE};
    if (!game->world->place || !agreement)
        return;
    if (!agreement->made && game->world->first) {
        agreed->what = CUA_AGREED_NOTHING;
        return;
    }
    if (!agreement->made)
        *agreement = (struct agreement){.made = true, .file = -1};
    if (agreement->file >= 0)
        *agreed =
            (struct cua_agreed){.what = CUA_AGREED_FILE, .file.ino = (ino_t)agreement->file + 1};
}

static void tell_cuda(struct game *game)
{
    for (size_t i = 0; i < 2 * MOST_FILES; i++)
        if (game->file[i].path)
            show_cuda(&game->file[i],
                      i < MOST_FILES ? &game->world->file[i] : &game->other->file[i - MOST_FILES]);
}

void gather(struct game *game, enum cua_fact fact, const struct world *world)
{
    static const enum cua_platform platforms[] = {CUA_PLATFORM_LINUX, CUA_PLATFORM_WSL,
                                                  CUA_PLATFORM_TEGRA};
    struct cua_facts *facts = &game->facts;

    facts->asked[fact] = true;
    switch (fact) {
    case CUA_FACT_KMD:
        facts->kmd.platform = platforms[world->platform];
        if (world->kmd_seen && world->platform != ON_WSL)
            show_version(&facts->kmd.version, world->kmd->number, world->kmd_build);
        break;
    case CUA_FACT_LOADER:
        facts->by_name = world->by_name;
        if (world->loader >= 0)
            facts->loader = show_file(game, world, (size_t)world->loader);
        break;
    case CUA_FACT_TOOLKIT:
        facts->toolkit.cuda = world->evidence_cuda;
        facts->toolkit.kind = (enum cua_toolkit_kind)world->evidence;
        facts->toolkit.image = world->image;
        facts->bound = world->bound_seen;
        break;
    case CUA_FACT_TABLES:
        show_tables(game, world);
        tell_cuda(game);
        break;
    case CUA_FACT_NATIVE:
        show_native(game, world);
        break;
    case CUA_FACT_UMDS:
    case CUA_FACT_BROUGHT:
        for (size_t i = 0; i < world->files; i++) {
            size_t at = game->order & 1 ? world->files - 1 - i : i;
            if (world->file[at].brought == (fact == CUA_FACT_BROUGHT) &&
                (world == game->world || (int)at != world->loader))
                show_file(game, world, at);
        }
        break;
    case CUA_FACT_GPUS:
        show_gpus(game, world);
        break;
    case CUA_FACT_CIRCUMSTANCES:
        facts->circumstances.mig = world->part_of_gpu;
        facts->circumstances.graphics = world->graphics_seen;
        if (world->refused)
            strcpy(facts->circumstances.refusal, "NO=1");
        if (world->several)
            strcpy(facts->circumstances.several, "NODES=2");
        break;
    case CUA_FACT_AGREED:
        show_agreed(game);
        break;
    case CUA_FACT_MPS:
        facts->mps = world->mps_seen;
        break;
    case CUA_FACT_NOTHING:
    case CUA_FACT_TRIAL:
    case CUA_FACT_LOADS:
    case CUA_FACTS:
        break;
    }
}
