/* SPDX-License-Identifier: Apache-2.0 */
/* Plays the rules' loop in a world; trials answer from what is true there. */
#include "adapter.h"

#include <stdio.h>
#include <string.h>

#include "base/reasons.h"

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

/* The first to decide does so for all; true: the rules have to look again. */
static bool agree(struct game *game)
{
    if (!game->verdict.settles || !game->agreement)
        return false;
    if (!game->agreement->made)
        *game->agreement = (struct agreement){
            .made = true,
            .file = game->verdict.reason == CUA_REASON_NEWER_MINOR ? chosen(game) : -1};
    show_agreed(game);
    return true;
}

void play(struct game *game)
{
    while (cua_rule(&game->verdict, &game->facts, &game->policy),
           game->verdict.next || agree(game)) {
        if (!game->verdict.next)
            continue;
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

/* What was taken untried, or is known not to load, is refused by no answer that nobody asked for.
 */
static void complete_file(struct game *game, const struct world *other, size_t slot, bool tried)
{
    static const int codes[] = {0, 0, 803, 804};
    struct cua_umd *umd = &game->file[slot];
    bool settled = umd == game->verdict.chosen || umd->loads == CUA_LOADS_NO;
    unsigned dice = other->number >> slot & 3;

    if (!umd->loads)
        umd->loads = other->number >> (slot + 8) & 1 ? CUA_LOADS_YES : CUA_LOADS_NO;
    if (tried && umd->tried)
        return;
    umd->tried = settled || dice == 0 ? CUA_TRIAL_SILENT : CUA_TRIAL_ANSWERED;
    umd->trial_code = codes[dice];
}

void complete(struct game *game, const struct world *other)
{
    bool tried = game->facts.asked[CUA_FACT_TRIAL];

    game->other = other;
    for (int fact = CUA_FACT_KMD; fact < CUA_FACTS; fact++)
        if (!game->facts.asked[fact])
            gather(game, (enum cua_fact)fact, other);
    for (size_t i = 0; i < 2 * MOST_FILES; i++)
        if (game->file[i].path)
            complete_file(game, other, i, tried);
    cua_rule(&game->verdict, &game->facts, &game->policy);
}

int chosen(const struct game *game)
{
    return game->verdict.chosen ? (int)game->verdict.chosen->key.ino - 1 : -1;
}

void print_verdict(const char *what, const struct game *game, const struct cua_verdict *verdict)
{
    static const char *const facts[CUA_FACTS] = {[CUA_FACT_KMD] = "kernel driver",
                                                 [CUA_FACT_LOADER] = "loader's choice",
                                                 [CUA_FACT_TOOLKIT] = "program",
                                                 [CUA_FACT_TABLES] = "tables",
                                                 [CUA_FACT_NATIVE] = "native",
                                                 [CUA_FACT_UMDS] = "files",
                                                 [CUA_FACT_GPUS] = "GPUs",
                                                 [CUA_FACT_MPS] = "MPS",
                                                 [CUA_FACT_CIRCUMSTANCES] = "circumstances",
                                                 [CUA_FACT_AGREED] = "agreement",
                                                 [CUA_FACT_BROUGHT] = "brought files",
                                                 [CUA_FACT_TRIAL] = "trial",
                                                 [CUA_FACT_LOADS] = "loads"};

    printf("# %s: under %s, for %s, ", what, cua_policies[game->policy.kind],
           cua_reason_code(verdict->reason));
    if (verdict->chosen)
        printf("file %d", (int)verdict->chosen->key.ino - 1);
    else
        printf("nothing");
    printf(" is chosen; asked for:");
    for (int i = 0; i < CUA_FACTS; i++)
        if (verdict->rests_on >> i & 1 && facts[i])
            printf(" %s,", facts[i]);
    printf(" no more; answers in this decision:");
    for (size_t i = 0; i < 2 * MOST_FILES; i++)
        if (game->file[i].tried == CUA_TRIAL_SILENT)
            printf(" file %zu nothing,", i);
        else if (game->file[i].tried)
            printf(" file %zu %d,", i, game->file[i].trial_code);
    printf(" no other\n");
}

void end(struct game *game)
{
    HASH_CLEAR(hh, game->facts.umds);
}
