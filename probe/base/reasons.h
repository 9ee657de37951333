/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of a reason (cuarbiter/reasons.h): the code that users see, its meaning, and what
 * helps; "" if there is no such reason. The texts are static, and the functions may be called in
 * any thread. */
#ifndef CUA_BASE_REASONS_H
#define CUA_BASE_REASONS_H

#include "cuarbiter/reasons.h"

const char *cua_reason_code(enum cua_reason reason);
const char *cua_reason_meaning(enum cua_reason reason);
const char *cua_reason_help(enum cua_reason reason);

#endif
