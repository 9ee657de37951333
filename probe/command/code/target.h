/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU and driver for which `cuarbiter code` and `cuarbiter doctor` judge GPU code. */
#ifndef CUA_CODE_TARGET_H
#define CUA_CODE_TARGET_H

#include "command/code/model.h"
#include "command/status/report.h"

/* Fills in a target from a report of `cuarbiter status`: with the visible GPU that has the highest
 * capability, and with `driver`, one of the report's libcudas (NULL: not known). target->compiler
 * is the CUDA of the PTX compiler beside that libcuda. If that is not known, target->compiler is
 * the libcuda's own CUDA. */
void cua_code_target_of(struct cua_code_target *target, const struct cua_report *report,
                        const struct cua_umd *driver);

#endif
