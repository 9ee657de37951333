/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter inspect`: shows the version of each libcuda file that its arguments name, its CUDA
 * version, and the kernel driver branches that it supports. */
#ifndef CUA_VERB_INSPECT_H
#define CUA_VERB_INSPECT_H

#include "cli/verb.h"

extern const struct cua_verb cua_verb_inspect;

#endif
