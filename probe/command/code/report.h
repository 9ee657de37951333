/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the results of `cuarbiter code`. A target is a pair of GPU and driver. Files are reported
 * in groups (struct cua_code_file). A file is spare if it does not serve, but another file of its
 * group serves instead. */
#ifndef CUA_CODE_REPORT_H
#define CUA_CODE_REPORT_H

#include "command/code/look.h"

void cua_code_text(const struct cua_code_look *look);
void cua_code_json(const struct cua_code_look *look);

/* The word for a result, such as "222"; "ok?" for CUA_CODE_SERVES. */
const char *cua_code_word(enum cua_code_end end);
/* The number of the CUDA error that a result is, such as 222; 0: it is no CUDA error. */
int cua_code_number(enum cua_code_end end);

#endif
