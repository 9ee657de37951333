/* SPDX-License-Identifier: Apache-2.0 */
/* The command `cuarbiter cdi`. A container engine starts cuarbiter's OCI hook (deploy/hook) for a
 * container if a CDI specification that applies to the container contains the hook. The command
 * prints a specification of cuarbiter's own device, with the hook; or adds the hook to the CDI
 * specifications of other tools, or removes it from them. */
#ifndef CUA_VERB_CDI_H
#define CUA_VERB_CDI_H

#include "cli/verb.h"

extern const struct cua_verb cua_verb_cdi;

#endif
