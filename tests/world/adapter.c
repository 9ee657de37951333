/* SPDX-License-Identifier: Apache-2.0 */
/* Plays the rules' loop in a world; trials answer from what is true there. */
#include "adapter.h"

#include <string.h>

static int native_trial(const struct game *game)
{
    size_t slot = (size_t)game->facts.native->key.ino - 1;

    return slot < MOST_FILES ? game->world->file[slot].trial
                             : game->other->file[slot - MOST_FILES].trial;
}

static void answer(struct game *game, const struct cua_umd_key *asked)
{
    size_t slot = (size_t)asked->ino - 1;
    const struct file *file =
        slot < MOST_FILES ? &game->world->file[slot] : &game->other->file[slot - MOST_FILES];
    struct cua_umd *umd = &game->file[slot];

    /* That a file does not load says something of it only where native does in the same run. */
    bool refused = file->trial == TRIAL_NOT_LOADED && game->facts.native &&
                   native_trial(game) != TRIAL_NOT_LOADED;

    umd->tried = file->trial >= 0 || refused ? CUA_TRIAL_ANSWERED : CUA_TRIAL_SILENT;
    umd->trial_code = refused ? CUA_TRIAL_NOT_LOADED : file->trial;
}

/* One run of the helper: NVML, then cuInit of those that are asked for and of native. */
static void run_trial(struct game *game)
{
    for (size_t i = 0; i < game->facts.gpu_count; i++) {
        const struct gpu *gpu = &game->world->gpu[i];
        if (!gpu->nvml_tells)
            continue;
        game->gpu[i].brand = gpu->brand_guessed ? gpu->brand : gpu->brand_shown;
        game->gpu[i].cc = gpu->cc_shown;
        game->gpu[i].guessed = false;
    }
    game->facts.gpus_none = game->world->no_gpu;
    for (unsigned i = 0; i < game->verdict.trials; i++)
        answer(game, &game->verdict.trial[i]);
    if (game->facts.native)
        answer(game, &game->facts.native->key);
    game->facts.asked[CUA_FACT_TRIAL] = true;
}

static bool any_untried(const struct game *game)
{
    for (unsigned i = 0; i < game->verdict.trials; i++)
        if (cua_facts_umd(&game->facts, &game->verdict.trial[i])->tried == CUA_TRIAL_NONE)
            return true;
    return false;
}

static void look_whether_it_loads(struct game *game)
{
    size_t slot = (size_t)game->verdict.trial[0].ino - 1;

    game->again |= game->file[slot].loads != CUA_LOADS_UNASKED;
    game->file[slot].loads = game->world->file[slot].loads ? CUA_LOADS_YES : CUA_LOADS_NO;
    game->facts.asked[CUA_FACT_LOADS] = true;
}

void begin(struct game *game, const struct world *world, unsigned order)
{
    memset(game, 0, sizeof *game);
    game->world = world;
    game->order = order;
    game->policy.trial = world->trials ? CUA_TRIAL_AUTO : CUA_TRIAL_NEVER;
}

void play(struct game *game)
{
    while (cua_rule(&game->verdict, &game->facts, &game->policy), game->verdict.next) {
        if (++game->rounds > CUA_FACTS + 3 * MOST_FILES)
            break;
        if (game->verdict.next == CUA_FACT_TRIAL) {
            game->again |= !any_untried(game);
            run_trial(game);
        } else if (game->verdict.next == CUA_FACT_LOADS) {
            look_whether_it_loads(game);
        } else {
            game->again |= game->facts.asked[game->verdict.next];
            gather(game, game->verdict.next, game->world);
        }
    }
}

void complete(struct game *game, const struct world *other)
{
    bool tried = game->facts.asked[CUA_FACT_TRIAL];

    game->other = other;
    for (int fact = CUA_FACT_KMD; fact < CUA_FACTS; fact++)
        if (!game->facts.asked[fact])
            gather(game, (enum cua_fact)fact, other);
    for (size_t i = 0; i < 2 * MOST_FILES; i++)
        if (game->file[i].path && !game->file[i].loads)
            game->file[i].loads = other->number >> (i + 8) & 1 ? CUA_LOADS_YES : CUA_LOADS_NO;
    for (size_t i = 0; i < 2 * MOST_FILES; i++)
        if (game->file[i].path && (!tried || !game->file[i].tried)) {
            game->file[i].tried =
                (other->number >> i & 3) == 0 ? CUA_TRIAL_SILENT : CUA_TRIAL_ANSWERED;
            game->file[i].trial_code = (other->number >> i & 3) == 1   ? 0
                                       : (other->number >> i & 3) == 2 ? 803
                                                                       : 804;
        }
    cua_rule(&game->verdict, &game->facts, &game->policy);
}

int chosen(const struct game *game)
{
    return game->verdict.chosen ? (int)game->verdict.chosen->key.ino - 1 : -1;
}

void end(struct game *game)
{
    HASH_CLEAR(hh, game->facts.umds);
}
