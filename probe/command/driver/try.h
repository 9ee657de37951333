/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter driver try`: makes trials of the drivers of a store. A trial loads a driver in a child
 * process and calls it (trial/trial.h); a store is a folder of drivers that programs may get. */
#ifndef CUA_DRIVER_TRY_H
#define CUA_DRIVER_TRY_H

#include "command/driver/bring.h"

/* Tries the versions that `words` names; all drivers of the store if `count` is 0. Runs a kernel on
 * each GPU with each driver, and records in the store whether the kernel ran. Does not record a
 * failure that may be temporary, nor one of an earlier step, such as cuInit. Returns the exit
 * code. */
int cua_driver_try(const struct cua_driver_options *options, char **words, int count);

#endif
