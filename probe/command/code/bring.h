/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a driver to add for files whose result is CUA_CODE_35: the driver is too old for them. */
#ifndef CUA_CODE_BRING_H
#define CUA_CODE_BRING_H

#include "command/code/look.h"
#include "command/driver/suit.h"

/* Looks for a driver for the latest CUDA that these files need. `here` receives a driver of its
 * major or a later one that was added before (driver/driver.h) and certainly works on this machine.
 * NULL: there is none; then `suit` has the archive that could be added, or why there is none. False
 * if no file's result is 35, or if the kernel driver and the GPUs of one machine are not known:
 * several pairs are judged, or the options name a CUDA version, a capability or a libcuda. */
bool cua_code_bring(const struct cua_code_look *look, struct cua_suit *suit,
                    const struct cua_umd **here);

#endif
