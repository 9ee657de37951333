/* SPDX-License-Identifier: Apache-2.0 */
/* A verdict in words that name the facts it rests on; and one UMD by itself, for status. Pure. */
#ifndef CUA_WORDS_H
#define CUA_WORDS_H

#include "rules/rules.h"

struct cua_words {
    char explanation[400]; /* one or two sentences */
    char help[240];        /* what the user can do; "" */
};

void cua_words(struct cua_words *words, const struct cua_verdict *verdict,
               const struct cua_facts *facts);

/* A sentence on one UMD, "" where its reason says all. */
struct cua_detail {
    char text[200];
};

/* The verdict on one candidate, by all that is known. Returns the reason. */
enum cua_reason cua_judge(struct cua_detail *detail, const struct cua_facts *facts,
                          const struct cua_umd *umd);

/* What cuInit of a UMD answers, or answered in a trial; -1 unknown, or no UMD. */
int cua_judge_code(const struct cua_facts *facts, const struct cua_umd *umd);

#endif
