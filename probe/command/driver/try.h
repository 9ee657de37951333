/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter driver try`. */
#ifndef CUA_DRIVER_TRY_H
#define CUA_DRIVER_TRY_H

#include "command/driver/bring.h"

/* Runs a kernel on each GPU with each of these versions of the store (none given: with every driver
 * in it), and stores the answers in the store. Returns the exit code. */
int cua_driver_try(const struct cua_driver_options *options, char **words, int count);

#endif
