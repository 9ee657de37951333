/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the text of one table, in the form of the files in data/, into rows. The text may be
 * hostile, so sizes are bounded. */
#ifndef CUA_TABLES_READ_H
#define CUA_TABLES_READ_H

#include "tables/tables.h"

/* The names of the tables' files, by number; NULL after the last one. */
const char *cua_data_file(size_t n);
/* Replaces the table `file` by the one in `text`, which is changed; the rows are allocated and
 * never freed. False if the text is not such a table; then only `trouble` in the data is set. */
bool cua_data_replace(struct cua_data *data, const char *file, char *text);

#endif
