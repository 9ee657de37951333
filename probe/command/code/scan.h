/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the GPU code in a file. */
#ifndef CUA_CODE_SCAN_H
#define CUA_CODE_SCAN_H

#include "command/code/model.h"

/* Examines an open file and closes it; does nothing for a negative descriptor. Does not show which
 * modules a program uses, or what it compiles while it runs. False: there is no result, because
 * there is no memory. */
bool cua_code_scan(struct cua_code *code, int fd);

#endif
