/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a driver to add for files whose result is CUA_CODE_35, which means that the driver in use
 * is too old for them. */
#ifndef CUA_CODE_BRING_H
#define CUA_CODE_BRING_H

#include "command/code/look.h"
#include "command/driver/suit.h"

/* Looks for a driver for the latest CUDA that these files need, without those that are spare
 * (cua_code_result.spare). `here` receives a driver that `cuarbiter driver add` has added before,
 * that certainly works on the machine that is judged for, and whose CUDA has the same major or a
 * later one; NULL: there is none. `suit` receives the archive that could be added, or why there is
 * none. Returns false if there are no such files. Also false if the files are not judged for one
 * machine, because there are several pairs of GPU and driver, or the options name a CUDA version, a
 * compute capability or a libcuda. */
bool cua_code_bring(const struct cua_code_look *look, struct cua_suit *suit,
                    const struct cua_umd **here);

#endif
