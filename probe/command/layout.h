/* SPDX-License-Identifier: Apache-2.0 */
/* Text for people: a column of titles, wrapped sentences; on stdout unless a file is given. */
#ifndef CUA_LAYOUT_H
#define CUA_LAYOUT_H

#include <stdio.h>

#define CUA_LAYOUT_WIDTH  80
#define CUA_LAYOUT_INDENT 16

/* How many columns the terminal has; 0 if it is not a terminal, or does not know. */
int cua_layout_columns(FILE *out);

/* A title in its column; the text follows on the same line. */
void cua_layout_title(const char *title);

/* Words, escaped and wrapped, from column `indent` on, where the cursor is already; ends the
 * line. */
void cua_layout_wrap(const char *text, int indent);
void cua_layout_wrap_to(FILE *out, const char *text, int indent);

/* A line of its own below the titles, wrapped; nothing for "". */
void cua_layout_text(const char *text);

#endif
