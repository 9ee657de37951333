/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the rules ever make a program worse than ld.so alone would have it.
 *
 *   regret [WORLDS]         that many worlds, 10,000 by default, and half as many of each bent kind
 *                           (world.h). TAP.
 *   regret --world NUMBER   one of them, in full
 *
 * Worlds in which something is false that the rules may take for true (world.h) are counted apart.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/reasons.h"
#include "adapter.h"

enum { SHOWN = 5 };

struct count {
    unsigned long worlds, bare_runs, runs, better, worse, replaced, tried;
};

struct tally {
    struct count in[APARTS];
    unsigned long told, told_lost, told_less, untrusted, second_best;
};

static const char *const names[APARTS] = {
    "everything as assumed",
    "a note is false",
    "NVIDIA's word on GeForce and on dropped capabilities is false",
    "the program unhides GPUs itself",
    "another runtime is mapped than the program runs by",
    "the program uses what compat drivers lack",
    "a GPU is seen as another one",
    "a trial cannot load what the program can",
    "an MPS daemon is not seen",
};

static enum outcome with(const struct game *game)
{
    int file = chosen(game);

    return world_outcome(game->world, file < 0 ? game->world->loader : file, NULL);
}

static bool is_candidate(const struct world *world, size_t at)
{
    return (int)at == world->loader ||
           (world->file[at].trusted && world->file[at].make == MAKE_DRIVER);
}

static enum outcome best(const struct world *world)
{
    enum outcome best = FAILS;

    for (size_t i = 0; i < world->files; i++)
        if (is_candidate(world, i) && world_outcome(world, (int)i, NULL) > best)
            best = world_outcome(world, (int)i, NULL);
    return best;
}

/* What the best of the files gives that say of themselves that they work here. */
static enum outcome best_noted(const struct world *world)
{
    enum outcome best = FAILS;

    for (int i = 0; i < (int)world->files; i++)
        if (i != world->loader && world_note_tells(world, i) &&
            world_outcome(world, i, NULL) > best)
            best = world_outcome(world, i, NULL);
    return best;
}

static bool is_native(const struct world *world, const struct file *file)
{
    return file->branch == world->kmd && file->build == world->kmd_build;
}

static void tell(const char *what, const struct game *game)
{
    printf("# %s: %s, chosen %d, rests on %x\n", what, cua_reason_code(game->verdict.reason),
           chosen(game), game->verdict.rests_on);
    world_print(game->world);
}

static void judge(struct tally *tally, const struct game *game)
{
    const struct world *world = game->world;
    enum outcome bare = world_outcome(world, world->loader, NULL), now = with(game);
    int file = chosen(game);
    struct count *count = &tally->in[world->apart];

    count->worlds++;
    count->bare_runs += bare == RUNS;
    count->runs += now == RUNS;
    count->better += now > bare;
    count->replaced += file >= 0 && file != world->loader;
    count->tried += game->facts.asked[CUA_FACT_TRIAL];
    if (now < bare && count->worse++ < SHOWN && !world->apart)
        tell("worse", game);
    if (file >= 0 && !is_candidate(world, (size_t)file) && tally->untrusted++ < SHOWN)
        tell("no candidate", game);
    if (file >= 0 && file != world->loader && !is_native(world, &world->file[file]) &&
        world->evidence == EVIDENCE_EXACT && world_is_clear(world) && now < best_noted(world) &&
        tally->second_best++ < SHOWN)
        tell("not the best replacement", game);
    if (!world_is_told(world))
        return;
    tally->told++;
    tally->told_less += now < best(world);
    if (now == FAILS && best(world) > FAILS && tally->told_lost++ < SHOWN)
        tell("not the best", game);
}

static void print_counts(const struct tally *tally, const char *kind)
{
    for (int i = 0; i < APARTS; i++) {
        const struct count *c = &tally->in[i];
        printf(
            "# %s, %s: %lu worlds; bare runs in %lu, with cuarbiter in %lu; better in %lu, worse "
            "in %lu; replaced in %lu, tried in %lu\n",
            kind, names[i], c->worlds, c->bare_runs, c->runs, c->better, c->worse, c->replaced,
            c->tried);
    }
    printf("# %s, where the facts suffice: %lu worlds, %lu lost, %lu answer 222 or 36 where a file "
           "would run\n",
           kind, tally->told, tally->told_lost, tally->told_less - tally->told_lost);
}

static bool holds(int number, bool ok, const char *what, const char *kind)
{
    printf("%s %d - %s: %s\n", ok ? "ok" : "not ok", number, kind, what);
    return ok;
}

static bool report(const struct tally *tally, const char *kind, int first)
{
    bool ok = true;

    print_counts(tally, kind);
    ok &= holds(first, tally->in[APART_NOT].worse == 0, "never worse than ld.so alone", kind);
    ok &= holds(first + 1, tally->told && !tally->told_lost, "the best where the facts suffice",
                kind);
    ok &= holds(first + 2, tally->untrusted == 0, "no file is chosen that is no candidate", kind);
    ok &= holds(first + 3, tally->second_best == 0, "of the files with a note the best", kind);
    return ok;
}

/* That the worlds are fair: neither does everything run in them, nor nothing. */
static bool report_share(const struct tally *tally, int number)
{
    unsigned long all = 0, bare = 0;

    for (int i = 0; i < APARTS; i++) {
        all += tally->in[i].worlds;
        bare += tally->in[i].bare_runs;
    }
    printf("# bare runs in %.1f %% of all worlds\n", 100.0 * (double)bare / (double)all);
    return holds(number, bare * 10 >= all * 3 && bare * 10 <= all * 7,
                 "bare runs in 30 to 70 % of them", "worlds");
}

static void judge_world(struct tally *tally, uint64_t number, enum cua_policy_kind policy,
                        bool print)
{
    static struct world world;
    static struct game game;

    world_make(&world, number, 0);
    begin(&game, &world, 0);
    game.policy.kind = policy;
    play(&game);
    if (print)
        tell("asked for", &game);
    else
        judge(tally, &game);
    end(&game);
}

int main(int argc, char **argv)
{
    static const struct {
        uint64_t first;
        const char *name;
        unsigned part;
        enum cua_policy_kind policy;
    } kinds[] = {{0, "worlds", 1, CUA_POLICY_AUTO},
                 {WORLDS_OF_HINTS, "hints", 2, CUA_POLICY_AUTO},
                 {WORLDS_OF_RUNTIMES, "runtimes", 2, CUA_POLICY_AUTO},
                 {WORLDS_OF_FAILURES, "failures", 2, CUA_POLICY_AUTO},
                 {0, "newest in worlds", 2, CUA_POLICY_NEWEST},
                 {WORLDS_OF_HINTS, "newest in hints", 2, CUA_POLICY_NEWEST}};
    enum { KINDS = sizeof kinds / sizeof kinds[0] };
    static struct tally tally[KINDS];
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000;
    bool ok = true;

    if (argc == 3 && strcmp(argv[1], "--world") == 0) {
        judge_world(NULL, strtoull(argv[2], NULL, 10), CUA_POLICY_AUTO, true);
        return 0;
    }
    for (int k = 0; k < KINDS; k++) {
        for (uint64_t i = 0; i < count / kinds[k].part; i++)
            judge_world(&tally[k], kinds[k].first + i, kinds[k].policy, false);
        ok &= report(&tally[k], kinds[k].name, 1 + 4 * k);
    }
    ok &= report_share(&tally[0], 1 + 4 * KINDS);
    printf("1..%d\n", 1 + 4 * KINDS);
    return ok ? 0 : 1;
}
