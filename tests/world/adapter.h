/* SPDX-License-Identifier: Apache-2.0 */
/* The only part of the model that knows the rules: it plays their loop in a world. */
#ifndef ADAPTER_H
#define ADAPTER_H

#include "rules/rules.h"
#include "world.h"

/* What the processes of a container have agreed on. */
struct agreement {
    bool made;
    int file; /* -1: native */
};

struct game {
    const struct world *world, *other; /* other: NULL, or where the rest of the facts is from */
    unsigned order, rounds;
    struct agreement *agreement; /* NULL: alone, and nothing can be kept */
    bool again;                  /* a fact was asked for that is known */
    struct cua_facts facts;
    struct cua_policy policy;
    struct cua_verdict verdict;
    /* What the facts point to. Files of the other world lie behind those of the world. */
    struct cua_data data;
    struct cua_row_umd umd[MOST_BRANCHES];
    struct cua_row_forward forward[MOST_BRANCHES];
    struct cua_row_brands brands[MOST_BRANCHES];
    struct cua_row_cc cc[MOST_BRANCHES];
    struct cua_row_measured measured[MOST_BRANCHES];
    struct cua_umd file[2 * MOST_FILES];
    struct cua_gpu gpu[MOST_GPUS];
    char path[2 * MOST_FILES][64];
};

/* A game in which nothing was asked yet; policy may be changed before play. `order`: 1 shows the
 * files the other way round. End it with end(). */
void begin(struct game *game, const struct world *world, unsigned order);

/* Asks the rules, and gathers what they ask for, until they rule. */
void play(struct game *game);

void show_agreed(struct game *game);
void gather(struct game *game, enum cua_fact fact, const struct world *world);

/* Gathers from another world what was not asked for, trials of every file among it; rules again. */
void complete(struct game *game, const struct world *other);

/* The file chosen, -1: the request as it is. */
int chosen(const struct game *game);

/* One line: what was chosen and why, what was asked for, what was answered. */
void print_verdict(const char *what, const struct game *game, const struct cua_verdict *verdict);

void end(struct game *game);

#endif
