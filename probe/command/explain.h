/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter explain`: what a code means. */
#ifndef CUA_VERB_EXPLAIN_H
#define CUA_VERB_EXPLAIN_H

#include "command/verb.h"

extern const struct cua_verb cua_verb_explain;

#endif
