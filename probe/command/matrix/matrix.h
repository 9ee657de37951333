/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter matrix`: judges each of several images on each of several machines. */
#ifndef CUA_VERB_MATRIX_H
#define CUA_VERB_MATRIX_H

#include "cli/verb.h"

extern const struct cua_verb cua_verb_matrix;

#endif
