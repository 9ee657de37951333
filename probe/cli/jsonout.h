/* SPDX-License-Identifier: Apache-2.0 */
/* Writes JSON to stdout, indented. */
#ifndef CUA_JSONOUT_H
#define CUA_JSONOUT_H

#include <stdbool.h>

/* `key` is NULL in an array and at the top. */
void cua_jsonout_open(const char *key, char bracket); /* '{' or '[' */
/* '}' or ']'; the outermost one also ends the line */
void cua_jsonout_close(char bracket);

/* Writes only the string, in quotes. */
void cua_jsonout_quote(const char *text);

/* Writes a string. Bytes that are not UTF-8, which paths may contain, become U+FFFD. */
void cua_jsonout_string(const char *key, const char *value);
/* Writes a string; JSON's null if `value` is NULL or "". */
void cua_jsonout_text(const char *key, const char *value);
/* Writes an object whose values are written by cua_jsonout_text. The arguments are keys and values
 * in turn, then NULL. */
void cua_jsonout_texts(const char *key, ...) __attribute__((sentinel));
void cua_jsonout_number(const char *key, long long value);
void cua_jsonout_bool(const char *key, bool value);
void cua_jsonout_null(const char *key);

#endif
