/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks the candidates that may replace the loader's choice, the best first.
 *
 * A UMD is a user-mode driver: a libcuda file. Candidates are the UMDs that could be chosen. The
 * loader's choice is the UMD that ld.so would take by itself. A trial calls cuInit of a UMD in a
 * child process. */
#ifndef CUA_RANK_H
#define CUA_RANK_H

#include "rules/bench.h"

/* Whether a UMD may be taken; callers of the functions below pass it to restrict the candidates. */
typedef bool cua_fits(const struct cua_facts *facts, const struct cua_umd *umd);

/* A candidate and what it is worth as a replacement. This is computed once, because each candidate
 * is compared with many others. */
struct cua_weighed {
    const struct cua_umd *umd;
    bool serves;
    /* The grade of the evidence that it works. GUESS: it is open whether it works. NONE: it must
     * not replace any file. */
    enum cua_grade worth;
};

bool cua_is_takeable(const struct cua_facts *facts, const struct cua_umd *umd);
struct cua_weighed cua_weigh(const struct cua_facts *facts, const struct cua_umd *umd);

/* Finds the replacements that `fit` accepts (NULL: all) and that are worth at least `least`. Writes
 * the best to `best`, in order, and returns their number, at most CUA_TRIALS_MOST. The array's last
 * place is needed while sorting. */
unsigned cua_rank(const struct cua_bench *bench, enum cua_grade least, cua_fits *fit,
                  struct cua_weighed best[CUA_TRIALS_MOST + 1]);

/* Returns the first replacement that cua_rank finds, without those that are known not to load or to
 * fail in a trial. NULL: there is none. Asks for no trial. */
const struct cua_umd *cua_best_of(const struct cua_bench *bench, enum cua_grade least,
                                  cua_fits *fit);
/* Returns the first replacement that cua_rank finds and that answered 0 in a trial. NULL: there is
 * none, or no trial may run now (cua_may_try). Leaves out replacements that are known not to load.
 * If any of the others was not tried yet, the verdict asks for one trial of them all. The result is
 * valid only after that trial. */
const struct cua_umd *cua_best_tried(const struct cua_bench *bench, enum cua_grade least,
                                     cua_fits *fit);

/* False if the program's CUDA runtime, or what the image declares, shows that the UMD's CUDA is too
 * old for the program. */
bool cua_may_serve(const struct cua_facts *facts, const struct cua_umd *umd);

/* True if the program's CUDA runtime shows that the UMD's CUDA suffices. */
bool cua_surely_serves(const struct cua_facts *facts, const struct cua_umd *umd);

/* Asks for the facts that ranking replacements needs: the tables and all candidates. If a candidate
 * that may be taken is newer than the kernel driver, also asks for the GPUs and MPS. True if the
 * rules must return to wait for a fact. */
bool cua_asks_for_replacements(const struct cua_bench *bench);

#endif
