/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter driver list` and `check`: show the drivers of a store, which is a folder of drivers
 * that programs may get (drivers/store.h). */
#ifndef CUA_DRIVER_SHOW_H
#define CUA_DRIVER_SHOW_H

#include <stdbool.h>

/* Lists drivers. Returns the exit code: 1 if a store or driver is damaged or cannot be used, or if
 * one of `only` was not found.
 * - `named`: the store's folder; NULL: list all stores that this command looks for
 *   (cua_store_place)
 * - `sums`: also compare the checksums of the drivers' files
 * - `only`: the `count` versions to list; all versions if `count` is 0 */
int cua_driver_show(const char *named, bool json, bool sums, char *const *only, int count);

#endif
