/* SPDX-License-Identifier: Apache-2.0 */
/* Lays text out for people: a column of titles, and wrapped sentences. On stdout unless a file is
 * given. */
#ifndef CUA_LAYOUT_H
#define CUA_LAYOUT_H

#include <stdio.h>

#define CUA_LAYOUT_WIDTH  80
#define CUA_LAYOUT_INDENT 16

/* The terminal's width in columns; 0 if it is not a terminal, or the width is not known. */
int cua_layout_columns(FILE *out);

/* Prints a title in its column; the text that follows goes on the same line. */
void cua_layout_title(const char *title);

/* Prints `text`, escaped and wrapped, from column `indent` on; the cursor must be in that column.
 * Ends the line. */
void cua_layout_wrap(const char *text, int indent);
void cua_layout_wrap_to(FILE *out, const char *text, int indent);

/* Prints a text on its own line, below the titles and wrapped; nothing for "". */
void cua_layout_text(const char *text);

#endif
