/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter hook`: the OCI createContainer hook (opencontainers/runtime-spec, config.md). It adds
 * cuarbiter to a container that is being created. */
#ifndef CUA_VERB_HOOK_H
#define CUA_VERB_HOOK_H

#include "cli/verb.h"

extern const struct cua_verb cua_verb_hook;

#endif
