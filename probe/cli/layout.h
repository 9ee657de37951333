/* SPDX-License-Identifier: Apache-2.0 */
/* Prints text for people to read: titles in a column at the left, and wrapped sentences. Prints to
 * stdout, unless the function takes a file. */
#ifndef CUA_LAYOUT_H
#define CUA_LAYOUT_H

#include <stdio.h>

#define CUA_LAYOUT_WIDTH  80
#define CUA_LAYOUT_INDENT 16

/* The width of the terminal `out` in columns; 0 if `out` is no terminal, or its width is not
 * known. */
int cua_layout_columns(FILE *out);

/* Prints a title, padded to CUA_LAYOUT_INDENT columns. Does not end the line: the text that belongs
 * to the title follows. */
void cua_layout_title(const char *title);

/* Prints `text`, escaped and wrapped, and ends the line. All lines begin at column `indent`, where
 * the cursor must already be. */
void cua_layout_wrap(const char *text, int indent);
void cua_layout_wrap_to(FILE *out, const char *text, int indent);

/* Prints a text on lines of its own, wrapped and indented by CUA_LAYOUT_INDENT, so that it is to
 * the right of the titles. Prints nothing for "". */
void cua_layout_text(const char *text);

#endif
