/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter inspect`: shows the version, the CUDA version and the supported branches of libcuda
 * files. */
#ifndef CUA_VERB_INSPECT_H
#define CUA_VERB_INSPECT_H

#include "cli/verb.h"

extern const struct cua_verb cua_verb_inspect;

#endif
