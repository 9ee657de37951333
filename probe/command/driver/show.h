/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter driver list` and `check`: show the drivers of a store, which is a folder of drivers
 * that programs may get (drivers/store.h). */
#ifndef CUA_DRIVER_SHOW_H
#define CUA_DRIVER_SHOW_H

#include <stdbool.h>

/* Lists the drivers of the store in the folder `named`; NULL: of the stores in all places where
 * this command looks for them (cua_store_place). `sums`: also compares the checksums of their
 * files. `only`: lists only these `count` versions; if `count` is 0, all. Returns the exit code: 1
 * if a store or driver is damaged or cannot be used, or if not all of `only` were found. */
int cua_driver_show(const char *named, bool json, bool sums, char *const *only, int count);

#endif
