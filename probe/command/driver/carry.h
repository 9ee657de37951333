/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter driver export` and `import`: for machines without access to the internet. */
#ifndef CUA_DRIVER_CARRY_H
#define CUA_DRIVER_CARRY_H

#include "command/driver/bring.h"

/* `words`: the `count` arguments after "export" or "import". Both functions return the exit
 * code. */
int cua_driver_export(const struct cua_driver_options *options, char **words, int count);
int cua_driver_import(struct cua_driver_options *options, char **words, int count);

#endif
