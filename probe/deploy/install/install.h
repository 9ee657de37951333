/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter install`: installs cuarbiter into a root file system, and names its library in
 * /etc/ld.so.preload there. */
#ifndef CUA_VERB_INSTALL_H
#define CUA_VERB_INSTALL_H

#include "cli/verb.h"

extern const struct cua_verb cua_verb_install;

#endif
