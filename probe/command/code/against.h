/* SPDX-License-Identifier: Apache-2.0 */
/* What is found against the GPU code of a file, for doctor: in one sentence. */
#ifndef CUA_CODE_AGAINST_H
#define CUA_CODE_AGAINST_H

#include <stdbool.h>
#include <stddef.h>

#include "command/code/scan.h"

/* False where no module of the file ends in 222 or 200, or it cannot be read. */
bool cua_code_against(const struct cua_code_target *target, const char *path, char *text,
                      size_t size);

#endif
