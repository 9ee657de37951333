/* SPDX-License-Identifier: Apache-2.0 */
/* The text of one table, as data/ has them, into rows. Input is hostile and bounded. */
#ifndef CUA_TABLES_READ_H
#define CUA_TABLES_READ_H

#include "tables/tables.h"

/* The names of the tables' files; NULL after the last. */
const char *cua_data_file(size_t n);
/* Replaces the table called `file` by the one in this text, which it changes; the rows are
 * allocated and stay. False, and the data as it was but for `trouble`, where it is not such a
 * table. */
bool cua_data_replace(struct cua_data *data, const char *file, char *text);

#endif
