/* SPDX-License-Identifier: Apache-2.0 */
/* Puts a verdict (verdict.h) into words that name the facts it rests on, and describes one UMD by
 * itself for `status`. Pure functions.
 *
 * A UMD is a user-mode driver: a libcuda file. Candidates are the UMDs that could be chosen.
 * Brought drivers were stored by `cuarbiter driver add`. A trial calls cuInit of a UMD in a child
 * process. */
#ifndef CUA_WORDS_H
#define CUA_WORDS_H

#include "rules/rules.h"

struct cua_words {
    char explanation[1536]; /* a few sentences */
    char help[240];         /* what the user can do; "": nothing */
};

void cua_words(struct cua_words *words, const struct cua_verdict *verdict,
               const struct cua_facts *facts);

/* A sentence about one UMD; "" if its reason says everything. */
struct cua_detail {
    char text[200];
};

/* Judges one candidate by all that is known, trials included. Returns the reason; `detail` receives
 * the sentence. */
enum cua_reason cua_judge(struct cua_detail *detail, const struct cua_facts *facts,
                          const struct cua_umd *umd);

/* The result of cuInit with this UMD; -1: not known, or `umd` is NULL. Normally this is what the
 * rules predict. It is what a trial returned if the rules leave the result open, or if they predict
 * success and the trial failed. */
int cua_judge_code(const struct cua_facts *facts, const struct cua_umd *umd);

#endif
