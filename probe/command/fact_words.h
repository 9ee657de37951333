/* SPDX-License-Identifier: Apache-2.0 */
/* One word for each value of the enums in facts.h. Text, JSON and metrics use the same words, which
 * are never freed. docs/stability.md promises that they do not change. */
#ifndef CUA_FACT_WORDS_H
#define CUA_FACT_WORDS_H

#include "facts/facts.h"

const char *cua_word_fact(enum cua_fact fact);
const char *cua_word_flavour(enum cua_kmd_flavour flavour);
const char *cua_word_platform(enum cua_platform platform);
const char *cua_word_state(enum cua_umd_state state);
const char *cua_word_toolkit(enum cua_toolkit_kind kind);

/* The word for bit `n` of enum cua_found; NULL after the last bit. */
const char *cua_word_found(unsigned n);

/* "8.9" for the compute capability 89, "12.4" for CUDA 12040, NULL for 0. The text stays valid
 * during the next three calls. */
const char *cua_dotted(unsigned number);

#endif
