/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter explain`: explains an error code. */
#ifndef CUA_VERB_EXPLAIN_H
#define CUA_VERB_EXPLAIN_H

#include "cli/verb.h"

extern const struct cua_verb cua_verb_explain;

#endif
