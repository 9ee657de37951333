/* SPDX-License-Identifier: Apache-2.0 */
/* The tables in force for a machine: built in, or replaced by /etc/cuarbiter/data. */
#ifndef CUA_TABLES_LOAD_H
#define CUA_TABLES_LOAD_H

#include "machine/subject.h"
#include "tables/tables.h"

/* The data in force for a machine. Lives as long as the process; files are read once for each
 * sysroot. Never NULL. */
const struct cua_data *cua_data_for(const struct cua_subject *subject);

#endif
