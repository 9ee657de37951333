/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict in words: the facts that it rests on, and what would help. */
#ifndef CUA_WORDS_H
#define CUA_WORDS_H

#include "rules/rules.h"
#include "facts/facts.h"

/* Fills explanation and help from the rest of the verdict; `native`: NULL if there is none. */
void cua_verdict_text(struct cua_verdict *verdict, const struct cua_facts *facts,
                      const struct cua_umd *native);

#endif
