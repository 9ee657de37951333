/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the tables for a machine: the built-in ones, some of them replaced by
 * /etc/cuarbiter/data. */
#ifndef CUA_TABLES_LOAD_H
#define CUA_TABLES_LOAD_H

#include "machine/subject.h"
#include "tables/tables.h"

/* The tables for a machine; never NULL. They live as long as the process, and files are read once
 * per sysroot. */
const struct cua_data *cua_data_for(const struct cua_subject *subject);

#endif
