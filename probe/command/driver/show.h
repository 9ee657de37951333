/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter driver list` and `check`. */
#ifndef CUA_DRIVER_SHOW_H
#define CUA_DRIVER_SHOW_H

#include <stdbool.h>

/* Lists the drivers of the store in the folder `named`; NULL: of the stores that this command and
 * user have. `sums`: reads every file again and compares the checksums. `only`: lists only these
 * `count` versions; if `count` is 0, all. Returns the exit code. */
int cua_driver_show(const char *named, bool json, bool sums, char *const *only, int count);

#endif
