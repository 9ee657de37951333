/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter uninstall`: removes cuarbiter from a root file system. */
#ifndef CUA_VERB_UNINSTALL_H
#define CUA_VERB_UNINSTALL_H

#include "cli/verb.h"

extern const struct cua_verb cua_verb_uninstall;

#endif
