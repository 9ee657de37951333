/* SPDX-License-Identifier: Apache-2.0 */
/* What user and site want: environment, then /etc/cuarbiter.conf with its locks. */
#ifndef CUA_SETTINGS_H
#define CUA_SETTINGS_H

#include "base/policy.h"
#include "machine/view.h"

/* Never fails: an unknown value is one warning in the log and the default. */
void cua_policy_read(struct cua_policy *policy, const struct cua_view *view);

#endif
