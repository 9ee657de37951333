/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU and driver for which `code` judges. */
#ifndef CUA_CODE_TARGET_H
#define CUA_CODE_TARGET_H

#include "command/code/model.h"
#include "command/status/report.h"

/* Makes a target of two parts of a report: the GPU with the highest capability, and one of the
 * libcudas (NULL: not known). The PTX version comes from the compiler beside that libcuda or, if
 * there is none, from the tables. */
void cua_code_target_of(struct cua_code_target *target, const struct cua_report *report,
                        const struct cua_umd *driver);

#endif
