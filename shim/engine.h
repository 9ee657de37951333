/* SPDX-License-Identifier: Apache-2.0 */
/* The engine, loaded when it is first needed. */
#ifndef CUA_ENGINE_H
#define CUA_ENGINE_H

#include <stdbool.h>

#include "cuarbiter/contract.h"

/* Asks the engine. `answer` is CUA_LEAVE where the engine is missing, has another contract or is
 * being loaded. `env` as in struct cua_question. */
void cua_ask(enum cua_ask ask, const char *name, int flags, const void *caller, char *const *env,
             struct cua_answer *answer);

/* Logs, by the engine, why the program could not be executed again with `umd`. */
void cua_log_not_executed(char *const *env, const char *umd, const char *why);

#endif
