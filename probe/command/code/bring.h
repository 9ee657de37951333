/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a driver to bring for files whose result is 35 (CUA_CODE_35: the driver is too old for
 * them). */
#ifndef CUA_CODE_BRING_H
#define CUA_CODE_BRING_H

#include "command/code/look.h"
#include "command/driver/suit.h"

/* False if no file's result is 35, or if kernel driver and GPU are not known to be those of one
 * machine: several pairs are judged, or only a CUDA version or a capability is named. `here`: a
 * driver of that CUDA that was brought already and certainly works. NULL: there is none; then
 * `suit` has the one that could be brought, or why there is none. */
bool cua_code_bring(const struct cua_code_look *look, struct cua_suit *suit,
                    const struct cua_umd **here);

#endif
