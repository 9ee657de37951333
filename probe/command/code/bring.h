/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a driver to add for files whose result is CUA_CODE_35, which means that the driver in use
 * is too old for them. */
#ifndef CUA_CODE_BRING_H
#define CUA_CODE_BRING_H

#include "command/code/look.h"
#include "command/driver/suit.h"

/* Looks for a driver for the files whose result is CUA_CODE_35. Spare files (cua_code_result.spare)
 * do not count.
 * - *here receives a driver that `cuarbiter driver add` has added before. It certainly works on the
 *   judged machine, and its CUDA major is not earlier than the latest that these files need. NULL:
 *   there is none.
 * - `suit` receives the archive that could be added, or why there is none.
 * Returns false if there are no such files. Also returns false if several pairs of GPU and driver
 * are judged, or if the options name a CUDA version, a compute capability or a libcuda. */
bool cua_code_bring(const struct cua_code_look *look, struct cua_suit *suit,
                    const struct cua_umd **here);

#endif
