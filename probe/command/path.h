/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter path`: the shim's own path. */
#ifndef CUA_VERB_PATH_H
#define CUA_VERB_PATH_H

#include "command/verb.h"

extern const struct cua_verb cua_verb_path;

#endif
