/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter explain`: explains CUDA errors, and the reason codes that `status` and the log
 * show. */
#ifndef CUA_VERB_EXPLAIN_H
#define CUA_VERB_EXPLAIN_H

#include "cli/verb.h"

extern const struct cua_verb cua_verb_explain;

#endif
