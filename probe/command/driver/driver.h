/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter driver`: adds drivers to a store, which is a folder of drivers that programs may get;
 * lists, checks, tries, removes, exports and imports them. */
#ifndef CUA_VERB_DRIVER_H
#define CUA_VERB_DRIVER_H

#include "cli/verb.h"

extern const struct cua_verb cua_verb_driver;

#endif
