/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The laws of facts on demand, in modelled worlds: the questions end, each is asked once; what was
 * not asked for cannot change the verdict, whatever it is; the order of the files never matters.
 *
 *   laws [WORLDS [FIRST]]   10,000 by default. TAP.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapter.h"

enum { SHOWN = 5, COMPLETIONS = 4 };
enum law { ENDS, ASKS_ONCE, READS_NOTHING_ELSE, EARLY_HOLDS, ORDER_IS_NOTHING, LAWS };

static const char *const words[LAWS] = {
    "the questions end",
    "what is known is not asked for again",
    "what was not asked for is not read",
    "no completion of the facts changes a verdict that was given early",
    "the order of the files never matters",
};

static unsigned long broken[LAWS];

/* auto, host, compat and newest; auto with trials forbidden comes from the worlds. */
static const enum cua_policy_kind policies[] = {CUA_POLICY_AUTO, CUA_POLICY_HOST, CUA_POLICY_COMPAT,
                                                CUA_POLICY_NEWEST};
enum { POLICIES = sizeof policies / sizeof policies[0] };

/* `ruled`: NULL, or the verdict that should have been the same. */
static void breaks(enum law law, const struct game *game, const struct cua_verdict *ruled)
{
    if (broken[law]++ >= SHOWN)
        return;
    print_verdict(words[law], game, &game->verdict);
    if (ruled)
        print_verdict("it was", game, ruled);
    world_print(game->world);
}

static void start(struct game *game, const struct world *world, enum cua_policy_kind kind,
                  unsigned order)
{
    begin(game, world, order);
    game->policy.kind = kind;
    game->policy.minor = world->number & 1 ? CUA_MINOR_YES : CUA_MINOR_AUTO;
    play(game);
}

static bool differs(const struct game *a, const struct cua_verdict *b)
{
    return a->verdict.next || a->verdict.chosen != b->chosen || a->verdict.reason != b->reason ||
           a->verdict.works != b->works || a->verdict.kind != b->kind;
}

/* `seen`: as facts that were asked for; else they lie there unasked. */
static void try_completion(const struct world *world, const struct world *other,
                           enum cua_policy_kind kind, bool seen)
{
    static struct game game;
    struct cua_verdict ruled;
    bool asked[CUA_FACTS];

    start(&game, world, kind, 0);
    ruled = game.verdict;
    memcpy(asked, game.facts.asked, sizeof asked);
    complete(&game, other);
    if (!seen) {
        memcpy(game.facts.asked, asked, sizeof asked);
        cua_rule(&game.verdict, &game.facts, &game.policy);
    }
    if (differs(&game, &ruled))
        breaks(seen ? EARLY_HOLDS : READS_NOTHING_ELSE, &game, &ruled);
    end(&game);
}

static void try_world(uint64_t number)
{
    static struct world world, other;
    static struct game game, turned;

    world_make(&world, number, 0);
    for (int i = 0; i < POLICIES; i++) {
        start(&game, &world, policies[i], 0);
        start(&turned, &world, policies[i], 1);
        if (game.verdict.next)
            breaks(ENDS, &game, NULL);
        if (game.again)
            breaks(ASKS_ONCE, &game, NULL);
        if (chosen(&game) != chosen(&turned) || game.verdict.reason != turned.verdict.reason)
            breaks(ORDER_IS_NOTHING, &turned, &game.verdict);
        end(&game);
        end(&turned);
        for (unsigned k = 1; k <= COMPLETIONS; k++) {
            world_make(&other, number, k);
            try_completion(&world, &other, policies[i], true);
            try_completion(&world, &other, policies[i], false);
        }
    }
}

int main(int argc, char **argv)
{
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    int failed = 0;

    for (uint64_t i = first; i < first + count; i++)
        try_world(i);
    for (int law = 0; law < LAWS; law++) {
        if (broken[law])
            printf("# broken %lu times\n", broken[law]);
        printf("%s %d - %s\n", broken[law] ? "not ok" : "ok", law + 1, words[law]);
        failed |= broken[law] != 0;
    }
    printf("1..%d\n", LAWS);
    return failed;
}
