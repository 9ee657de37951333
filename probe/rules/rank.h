/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks the candidates that may replace the loader's choice, the best first. */
#ifndef CUA_RANK_H
#define CUA_RANK_H

#include "rules/bench.h"

/* Whether a UMD may be taken; callers of the functions below pass it to restrict the candidates. */
typedef bool cua_fits(const struct cua_facts *facts, const struct cua_umd *umd);

/* A candidate with its fate and its worth. They are computed once, because each candidate is
 * compared with many others. */
struct cua_weighed {
    const struct cua_umd *umd;
    bool serves;
    /* The grade of the evidence that it works; GUESS: open; NONE: it may replace nothing. */
    enum cua_grade worth;
};

bool cua_is_takeable(const struct cua_facts *facts, const struct cua_umd *umd);
struct cua_weighed cua_weigh(const struct cua_facts *facts, const struct cua_umd *umd);

/* Finds the best few replacements that are worth at least `least`, in order, and returns how many.
 * The array's last place is for one that drops out. `fit` may be NULL. */
unsigned cua_rank(const struct cua_bench *bench, enum cua_grade least, cua_fits *fit,
                  struct cua_weighed best[CUA_TRIALS_MOST + 1]);

/* cua_best_of: the best replacement that is worth at least `least`. cua_best_tried: the best that
 * answers 0 in a trial; one trial run tries the best few. */
const struct cua_umd *cua_best_of(const struct cua_bench *bench, enum cua_grade least,
                                  cua_fits *fit);
const struct cua_umd *cua_best_tried(const struct cua_bench *bench, enum cua_grade least,
                                     cua_fits *fit);

/* Whether a UMD serves the program's CUDA: cua_may_serve, if nothing known contradicts it;
 * cua_surely_serves, only if that is known. */
bool cua_may_serve(const struct cua_facts *facts, const struct cua_umd *umd);
bool cua_surely_serves(const struct cua_facts *facts, const struct cua_umd *umd);

/* Asks for the facts that ranking replacements needs, if there are any replacements. */
bool cua_asks_for_replacements(const struct cua_bench *bench);

#endif
