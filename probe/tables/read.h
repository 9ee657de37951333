/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the text of one table, in the form of the files in data/, into rows. The text may be
 * hostile, so sizes are bounded. */
#ifndef CUA_TABLES_READ_H
#define CUA_TABLES_READ_H

#include "tables/tables.h"

/* The file name of table number `n`, counted from 0; NULL after the last one. */
const char *cua_data_file(size_t n);
/* Replaces the table with the file name `file` by the rows in `text`. Changes `text`; the rows are
 * allocated and never freed. False if no table has this name, or if `text` is not such a table. In
 * the second case data->trouble receives the reason. Nothing else in `data` changes. */
bool cua_data_replace(struct cua_data *data, const char *file, char *text);

#endif
