/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the GPU code in a file. */
#ifndef CUA_CODE_SCAN_H
#define CUA_CODE_SCAN_H

#include "command/code/model.h"

/* Finds the GPU code in the open file `fd`, judges it for code->targets, and closes `fd`. If `fd`
 * is negative, the result is that of a file without GPU code. The result does not show which
 * modules a program uses, or what it compiles while it runs. False: there is no result, because
 * there is no memory. */
bool cua_code_scan(struct cua_code *code, int fd);

#endif
