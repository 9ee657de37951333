/* SPDX-License-Identifier: Apache-2.0 */
/* The engine, loaded when it is first needed. */
#ifndef CUA_ENGINE_H
#define CUA_ENGINE_H

#include <stdbool.h>

#include "cuarbiter/contract.h"

/* Asks; `answer` is CUA_LEAVE where the engine is missing, foreign or being loaded. `env` as in
 * struct cua_question. */
void cua_ask(enum cua_ask ask, const char *name, int flags, const void *caller, char *const *env,
             struct cua_answer *answer);

/* A warning through the engine's log; without an engine, nothing. */
void cua_warn(char *const *env, const char *code, const char *sentence);

/* Does this address lie in the engine? Its own dlopen calls pass through. */
bool cua_engine_calls(const void *caller);

#endif
