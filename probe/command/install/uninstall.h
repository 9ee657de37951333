/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter uninstall`: out of a root file system. */
#ifndef CUA_VERB_UNINSTALL_H
#define CUA_VERB_UNINSTALL_H

#include "command/verb.h"

extern const struct cua_verb cua_verb_uninstall;

#endif
