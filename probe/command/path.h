/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter path`: prints the path of the shim (libcuarbiter.so). */
#ifndef CUA_VERB_PATH_H
#define CUA_VERB_PATH_H

#include "cli/verb.h"

extern const struct cua_verb cua_verb_path;

#endif
