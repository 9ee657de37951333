/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter doctor`: what each process of a command got. */
#ifndef CUA_VERB_DOCTOR_H
#define CUA_VERB_DOCTOR_H

#include "command/verb.h"

extern const struct cua_verb cua_verb_doctor;

#endif
