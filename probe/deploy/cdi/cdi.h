/* SPDX-License-Identifier: Apache-2.0 */
/* The command `cuarbiter cdi`. Puts cuarbiter's OCI hook (deploy/hook) into CDI specifications. A
 * container engine starts the hook for each container that gets a device of such a specification.
 * The command prints a specification of cuarbiter's own device, adds the hook to the specifications
 * of other tools, or removes the hook from them. */
#ifndef CUA_VERB_CDI_H
#define CUA_VERB_CDI_H

#include "cli/verb.h"

extern const struct cua_verb cua_verb_cdi;

#endif
