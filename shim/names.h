/* SPDX-License-Identifier: Apache-2.0 */
/* The names of libraries.h, and those which bring nothing in. */
#ifndef CUA_NAMES_TABLE_H
#define CUA_NAMES_TABLE_H

#include <stdbool.h>

/* Is this file name, without folders, one of the table: `stem.so`, `stem.so.1`, `stem.so.550.54`?
 */
bool cua_name_listed(const char *file);

/* Is it one of libc's own libraries or of the compiler's run time, which need nothing but each
 * other? */
bool cua_name_libc(const char *file);

#endif
