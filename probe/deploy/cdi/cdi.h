/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter cdi`: prints a CDI specification that contains the hook, or adds the hook to the
 * specifications of other tools. */
#ifndef CUA_VERB_CDI_H
#define CUA_VERB_CDI_H

#include "cli/verb.h"

extern const struct cua_verb cua_verb_cdi;

#endif
