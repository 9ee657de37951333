/* SPDX-License-Identifier: Apache-2.0 */
/* The node's site file in CUA_DIR_SITE. With it an administrator sets the policy of all containers,
 * or switches cuarbiter off in them. The hook passes the file to every container. */
#ifndef CUA_HOOK_SWITCH_H
#define CUA_HOOK_SWITCH_H

#include <stddef.h>

#include "cuarbiter/names.h"

#define CUA_FILE_SWITCH CUA_DIR_SITE "/cuarbiter.conf"

/* Returns the policy of a container's programs: a word of cua_policies, or "disabled". `own`:
 * CUARBITER_POLICY in the container's environment, or "". `trouble` receives the reason if a
 * mistake disables cuarbiter, such as an unknown policy or a file that not every user can read;
 * else "". */
const char *cua_switch_policy(const char *own, char *trouble, size_t size);

#endif
