/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU and the driver that code is looked at for. */
#ifndef CUA_CODE_MACHINE_H
#define CUA_CODE_MACHINE_H

#include "command/code/scan.h"
#include "command/status/report.h"

/* The target of a GPU (0: not known) and a libcuda (NULL: not known), whose own compiler, beside
 * it, is asked before the tables. */
void cua_code_target_of(struct cua_code_target *target, unsigned cc, const struct cua_umd *driver,
                        const struct cua_subject *subject);

/* The libcuda that the report's verdict gives; NULL. */
const struct cua_umd *cua_code_driver(const struct cua_report *report);

/* The highest compute capability among the GPUs that are visible; 0 unknown. */
unsigned cua_code_cc(const struct cua_facts *facts);

#endif
