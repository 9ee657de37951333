/* SPDX-License-Identifier: Apache-2.0 */
/* Reason codes as text: the code that users see, its meaning, and what helps. Static text; may be
 * used in any thread. */
#ifndef CUA_BASE_REASONS_H
#define CUA_BASE_REASONS_H

#include "cuarbiter/reasons.h"

const char *cua_reason_code(enum cua_reason reason);
const char *cua_reason_meaning(enum cua_reason reason);
const char *cua_reason_help(enum cua_reason reason);

#endif
