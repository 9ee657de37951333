/* SPDX-License-Identifier: Apache-2.0 */
/* Reason codes in words: the code users see, its meaning, what helps. Static text; any thread. */
#ifndef CUA_BASE_REASONS_H
#define CUA_BASE_REASONS_H

#include "cuarbiter/reasons.h"

const char *cua_reason_code(enum cua_reason reason);
const char *cua_reason_meaning(enum cua_reason reason);
const char *cua_reason_help(enum cua_reason reason);

#endif
