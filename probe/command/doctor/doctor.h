/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter doctor`: runs a command and shows which libcuda each of its processes got. */
#ifndef CUA_VERB_DOCTOR_H
#define CUA_VERB_DOCTOR_H

#include "cli/verb.h"

extern const struct cua_verb cua_verb_doctor;

#endif
