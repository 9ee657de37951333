/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter matrix`: shows which libcuda each of several images would get on each of several
 * machines, and whether it would work. */
#ifndef CUA_VERB_MATRIX_H
#define CUA_VERB_MATRIX_H

#include "cli/verb.h"

extern const struct cua_verb cua_verb_matrix;

#endif
