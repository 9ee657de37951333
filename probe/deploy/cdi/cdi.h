/* SPDX-License-Identifier: Apache-2.0 */
/* The verb `cdi`: prints a CDI specification of cuarbiter's own device, which starts cuarbiter's
 * OCI hook; or adds this hook to the CDI specifications of other tools, or removes it from them. */
#ifndef CUA_VERB_CDI_H
#define CUA_VERB_CDI_H

#include "cli/verb.h"

extern const struct cua_verb cua_verb_cdi;

#endif
