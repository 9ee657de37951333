/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the tables for a machine: the built-in ones, each replaced by the file of the same name in
 * /etc/cuarbiter/data if there is one. The subject is the process that is examined. Its sysroot is
 * the path of its root, if that is not this process's own (machine/subject.h). */
#ifndef CUA_TABLES_LOAD_H
#define CUA_TABLES_LOAD_H

#include "machine/subject.h"
#include "tables/tables.h"

/* The tables for the subject's machine; never NULL. They are the built-in ones if
 * /etc/cuarbiter/data is missing, users other than root can change it, or there is no memory. They
 * live as long as the process. The files are not read again as long as the sysroot stays the
 * same. */
const struct cua_data *cua_data_for(const struct cua_subject *subject);

#endif
