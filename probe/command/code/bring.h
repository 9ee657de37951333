/* SPDX-License-Identifier: Apache-2.0 */
/* Which driver could be brought for files that end in 35. */
#ifndef CUA_CODE_BRING_H
#define CUA_CODE_BRING_H

#include "command/code/look.h"
#include "command/driver/suit.h"

/* False if no file ends in 35, or if kernel driver and GPU are not those of one machine: there are
 * several pairs, or only a CUDA or a capability is named. `here`: a driver of that CUDA that was
 * brought already and certainly works; NULL: none, and `suit` has the one that could be brought, or
 * why there is none. */
bool cua_code_bring(const struct cua_code_look *look, struct cua_suit *suit,
                    const struct cua_umd **here);

#endif
