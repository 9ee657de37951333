/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUA_NAMES_TABLE_H
#define CUA_NAMES_TABLE_H

#include <stdbool.h>

/* Is this one of libc's own libraries or of the compiler's run time, which need nothing but each
 * other? */
bool cua_name_libc(const char *file);

#endif
