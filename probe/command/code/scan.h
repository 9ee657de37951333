/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUA_CODE_SCAN_H
#define CUA_CODE_SCAN_H

#include "command/code/ends.h"
#include "command/status/report.h"

/* Looks at a file that is open and closes it (a negative descriptor: false). False, with the
 * trouble, where it is neither ELF nor GPU code. Which modules are used, and what is compiled
 * later, is not known. */
bool cua_code_scan(struct cua_code *code, int fd);

/* The GPU of a report that has the highest capability, and one of its libcudas (NULL: not known),
 * whose own compiler, beside it, is asked before the tables. */
void cua_code_target_of(struct cua_code_target *target, const struct cua_report *report,
                        const struct cua_umd *driver);

#endif
