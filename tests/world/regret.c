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

#include "adapter.h"

enum { SHOWN = 5, CHECKS = 12 };

struct count {
    unsigned long worlds, bare_runs, runs, better, worse, replaced, tried;
};

struct tally {
    struct count in[APARTS];
    unsigned long told, told_lost, told_less, untrusted, second_best, answered;
    unsigned long minors, refused, pairs, apart; /* within one major: taken; against a no; alike? */
    unsigned long stores, taken, store_worse, store_moved, store_wrong, owed, store_lost;
    unsigned long seconds, second_moved;
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
        if (is_candidate(world, i) && !world->file[i].brought &&
            world_outcome(world, (int)i, NULL) > best)
            best = world_outcome(world, (int)i, NULL);
    return best;
}

/* What the best of the files gives that say of themselves that they work here. */
static enum outcome best_noted(const struct world *world)
{
    enum outcome best = FAILS;

    for (int i = 0; i < (int)world->files; i++)
        if (i != world->loader && !world->file[i].brought && world_note_tells(world, i) &&
            world_outcome(world, i, NULL) > best)
            best = world_outcome(world, i, NULL);
    return best;
}

static bool is_native(const struct world *world, const struct file *file)
{
    return file->branch == world->kmd && file->build == world->kmd_build;
}

/* What a trial in this decision answered: never what the program itself may meet later. */
static bool has_refused(const struct game *game, int file)
{
    const struct cua_umd *umd = &game->file[file];
    const struct cua_umd *native = game->facts.native;

    if (umd->tried != CUA_TRIAL_ANSWERED)
        return false;
    if (umd->trial_code == 100)
        return native && native->tried == CUA_TRIAL_ANSWERED && native->trial_code == 0;
    return umd->trial_code == CUA_TRIAL_NOT_LOADED || umd->trial_code == 34 ||
           umd->trial_code == 803 || umd->trial_code == 804;
}

static void tell(const char *what, const struct game *game)
{
    print_verdict(what, game, &game->verdict);
    world_print(game->world);
}

/* The rules themselves say that nothing else runs the program, and a brought file says of itself
 * that it does. */
static bool is_owed(const struct game *without)
{
    const struct world *world = without->world;

    if (without->verdict.reason != CUA_REASON_RUNTIME_TOO_NEW || with(without) > FAILS ||
        !world_is_clear(world) || world->evidence < EVIDENCE_LEAST || !world->by_name ||
        !world->trials || world->part_of_gpu || !world->kmd->in_tables ||
        world->evidence_cuda / 1000 <= world->kmd->cuda / 1000)
        return false;
    for (int i = 0; i < (int)world->files; i++)
        if (world->file[i].brought && world->file[i].companions && world_note_tells(world, i) &&
            world->file[i].trial == 0 && world_outcome(world, i, NULL) > FAILS)
            return true;
    return false;
}

static bool is_brought(const struct game *game)
{
    return chosen(game) >= 0 && game->world->file[chosen(game)].brought;
}

/* The same world with a store and without one. */
static void judge_store(struct tally *tally, const struct game *game, const struct game *without)
{
    const struct world *world = game->world;
    bool moved = chosen(game) != chosen(without);
    int file = chosen(game);

    tally->stores++;
    tally->taken += is_brought(game);
    if (with(game) < with(without) && !world->apart && tally->store_worse++ < SHOWN)
        tell("worse by a store", game);
    if (moved && (without->verdict.works == CUA_WORKS_YES || !is_brought(game)) &&
        tally->store_moved++ < SHOWN)
        tell("worked without a store, and another file is taken with one", game);
    if (is_brought(game) &&
        (game->file[file].tried != CUA_TRIAL_ANSWERED || game->file[file].trial_code != 0 ||
         world->file[file].cuda / 1000 <= world->kmd->cuda / 1000 || !world->by_name ||
         world->mps_seen || world->bound_seen || world->part_of_gpu) &&
        tally->store_wrong++ < SHOWN)
        tell("brought, and taken where none may be", game);
    if (!is_owed(without))
        return;
    tally->owed++;
    if (with(game) <= FAILS && tally->store_lost++ < SHOWN)
        tell("a brought file would run, and none is taken", game);
}

/* The same world before the driver that was brought last. Of two that were brought the one of the
 * lower CUDA is taken, which may end in 222 where the image declares an earlier CUDA than the
 * program has; so it counts only that a program does not start any more. */
static void judge_second(struct tally *tally, const struct game *game, const struct game *before)
{
    bool lost = with(game) <= FAILS && with(before) > FAILS && !game->world->apart;
    bool moved = chosen(game) != chosen(before) && !is_brought(before) &&
                 before->verdict.works == CUA_WORKS_YES;

    tally->seconds++;
    if ((lost || moved) && tally->second_moved++ < SHOWN)
        tell("had a driver before one more was brought", game);
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
    if (file >= 0 && file != world->loader && has_refused(game, file) && tally->answered++ < SHOWN)
        tell("its own trial counts against it", game);
    /* What `newest` has tried is the latest CUDA, whatever the notes say. */
    if (file >= 0 && file != world->loader && !is_native(world, &world->file[file]) &&
        game->verdict.reason != CUA_REASON_POLICY_NEWEST && world->evidence == EVIDENCE_EXACT &&
        world_is_clear(world) && now < best_noted(world) && tally->second_best++ < SHOWN)
        tell("not the best replacement", game);
    const bool minor = game->verdict.reason == CUA_REASON_NEWER_MINOR;
    tally->minors += minor;
    if (minor && world->refused && game->policy.minor != CUA_MINOR_YES && tally->refused++ < SHOWN)
        tell("against a no", game);
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
    printf("# %s with a store: %lu, a brought file is taken in %lu; it is owed in %lu; with two or "
           "more: %lu\n",
           kind, tally->stores, tally->taken, tally->owed, tally->seconds);
}

static bool holds(int number, bool ok, const char *what, const char *kind)
{
    printf("%s %d - %s: %s\n", ok ? "ok" : "not ok", number, kind, what);
    return ok;
}

/* Another process of the same job: of the same program and image, with another GPU maybe, another
 * user, a trial that brings nothing. Where the job has several containers, it is in another one. */
static void judge_pair(struct tally *tally, const struct world *world, const struct game *one)
{
    static struct world changed;
    static struct game game;
    static struct agreement elsewhere;

    changed = *world;
    changed.number ^= 1;
    for (size_t i = 0; i < world->files && world->number & 1; i++)
        changed.file[i].trial = changed.file[i].trial ? changed.file[i].trial : TRIAL_SILENT;
    changed.first = !(world->number & 2) && world->first;
    changed.trials = world->trials && !(world->number & 4);
    for (size_t i = 0; i < world->gpus && world->number & 8; i++)
        changed.gpu[i].visible = !world->gpu[i].visible || world->gpus == 1;
    elsewhere = (struct agreement){.made = false};
    begin(&game, &changed, 0);
    game.policy = one->policy;
    game.policy.trial = changed.trials ? CUA_TRIAL_AUTO : CUA_TRIAL_NEVER;
    game.agreement = world->several ? &elsewhere : one->agreement;
    play(&game);
    const bool a = one->verdict.reason == CUA_REASON_NEWER_MINOR,
               b = game.verdict.reason == CUA_REASON_NEWER_MINOR;
    tally->pairs += a || b;
    if ((a || b) && chosen(one) != chosen(&game) && tally->apart++ < SHOWN) {
        tell("one process", one);
        tell("and another one", &game);
    }
    end(&game);
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
    ok &= holds(first + 4, tally->answered == 0, "none whose own trial counts against it", kind);
    printf("# %s: a later minor's driver is taken in %lu; in pairs of processes in %lu\n", kind,
           tally->minors, tally->pairs);
    ok &= holds(first + 5, tally->refused == 0, "no later minor's driver where somebody says no",
                kind);
    ok &= holds(first + 6, tally->apart == 0, "two processes of a job have the same driver", kind);
    ok &= holds(first + 7, tally->store_worse == 0, "never worse than without a store", kind);
    ok &= holds(first + 8, tally->store_moved == 0,
                "what works without a store is the same with one", kind);
    ok &= holds(first + 9, tally->store_wrong == 0, "none is brought untried or within one major",
                kind);
    ok &= holds(first + 10, tally->store_lost == 0, "a brought one where nothing else runs", kind);
    ok &= holds(first + 11, tally->second_moved == 0,
                "one more brought driver changes nothing for what had one", kind);
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

static void judge_stores(struct tally *tally, const struct game *game)
{
    static struct world fewer;
    static struct game other;
    struct agreement alone = {.made = false}, again = {.made = false};
    const struct world *world = game->world;

    begin(&other, world, 0);
    other.agreement = &alone;
    other.policy = game->policy;
    other.policy.unbrought = true;
    play(&other);
    judge_store(tally, game, &other);
    end(&other);
    if (world->files < 2 || !world->file[world->files - 2].brought)
        return;
    fewer = *world;
    fewer.files--;
    begin(&other, &fewer, 0);
    other.agreement = &again;
    other.policy = game->policy;
    play(&other);
    judge_second(tally, game, &other);
    end(&other);
}

static void judge_world(struct tally *tally, uint64_t number, enum cua_policy_kind policy,
                        enum cua_minor_kind minor, bool print)
{
    static struct world world;
    static struct game game;
    struct agreement agreement = {.made = false};

    world_make(&world, number, 0);
    begin(&game, &world, 0);
    game.agreement = &agreement;
    game.policy.kind = policy;
    game.policy.minor = minor;
    play(&game);
    if (print)
        tell("asked for", &game);
    else
        judge(tally, &game);
    if (!print && policy == CUA_POLICY_AUTO && minor == CUA_MINOR_AUTO)
        judge_pair(tally, &world, &game);
    if (tally && world.files && world.file[world.files - 1].brought)
        judge_stores(tally, &game);
    end(&game);
}

int main(int argc, char **argv)
{
    static const struct {
        uint64_t first;
        const char *name;
        unsigned part;
        enum cua_policy_kind policy;
        enum cua_minor_kind minor;
    } kinds[] = {
        {0, "worlds", 1, CUA_POLICY_AUTO, CUA_MINOR_AUTO},
        {0, "without minors in worlds", 2, CUA_POLICY_AUTO, CUA_MINOR_NO},
        {WORLDS_OF_HINTS, "without minors in hints", 2, CUA_POLICY_AUTO, CUA_MINOR_NO},
        {WORLDS_OF_RUNTIMES, "without minors in runtimes", 2, CUA_POLICY_AUTO, CUA_MINOR_NO},
        {WORLDS_OF_HINTS, "hints", 2, CUA_POLICY_AUTO, CUA_MINOR_AUTO},
        {WORLDS_OF_RUNTIMES, "runtimes", 2, CUA_POLICY_AUTO, CUA_MINOR_AUTO},
        {WORLDS_OF_FAILURES, "failures", 2, CUA_POLICY_AUTO, CUA_MINOR_AUTO},
        {WORLDS_OF_STORES, "stores", 2, CUA_POLICY_AUTO, CUA_MINOR_AUTO},
        {0, "newest in worlds", 2, CUA_POLICY_NEWEST, CUA_MINOR_AUTO},
        {WORLDS_OF_HINTS, "newest in hints", 2, CUA_POLICY_NEWEST, CUA_MINOR_AUTO},
        {WORLDS_OF_FAILURES, "newest in failures", 2, CUA_POLICY_NEWEST, CUA_MINOR_AUTO},
        {0, "minor in worlds", 2, CUA_POLICY_AUTO, CUA_MINOR_YES},
        {WORLDS_OF_HINTS, "minor in hints", 2, CUA_POLICY_AUTO, CUA_MINOR_YES},
        {WORLDS_OF_RUNTIMES, "minor in runtimes", 2, CUA_POLICY_AUTO, CUA_MINOR_YES}};
    enum { KINDS = sizeof kinds / sizeof kinds[0] };
    static struct tally tally[KINDS];
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000;
    bool ok = true;

    if (argc == 3 && strcmp(argv[1], "--world") == 0) {
        judge_world(NULL, strtoull(argv[2], NULL, 10), CUA_POLICY_AUTO, CUA_MINOR_AUTO, true);
        return 0;
    }
    for (int k = 0; k < KINDS; k++) {
        for (uint64_t i = 0; i < count / kinds[k].part; i++)
            judge_world(&tally[k], kinds[k].first + i, kinds[k].policy, kinds[k].minor, false);
        ok &= report(&tally[k], kinds[k].name, 1 + CHECKS * k);
    }
    ok &= report_share(&tally[0], 1 + CHECKS * KINDS);
    printf("1..%d\n", 1 + CHECKS * KINDS);
    return ok ? 0 : 1;
}
