/* SPDX-License-Identifier: Apache-2.0 */
/* CUA_FILE_SWITCH, the site file of a node: settings for cuarbiter in all of the node's containers.
 * With this file an administrator sets the containers' policy, or switches cuarbiter off in them.
 * cuarbiter's OCI hook gives the file to every container to which it adds cuarbiter. If a folder
 * `site` is beside cuarbiter's files on the node, the hook gives them the file in that folder
 * instead (share.h). machine/site.h reads the file. */
#ifndef CUA_HOOK_SWITCH_H
#define CUA_HOOK_SWITCH_H

#include <stddef.h>

#include "cuarbiter/names.h"

#define CUA_FILE_SWITCH CUA_DIR_SITE "/cuarbiter.conf"

/* Returns the policy that CUA_FILE_SWITCH and `own` set for a container's programs: one of
 * cua_policies, or "disabled". `own`: the value of CUARBITER_POLICY in the container's environment,
 * or "". A file in the folder `site` beside cuarbiter's files is not read here. If the result is
 * "disabled" because of a mistake, such as an unknown policy or a file that not every user can
 * read, `trouble` receives the reason, and where cuarbiter is off because of that; else "". */
const char *cua_switch_policy(const char *own, char *trouble, size_t size);

#endif
