/* SPDX-License-Identifier: Apache-2.0 */
/* Writes JSON to stdout, indented. */
#ifndef CUA_JSONOUT_H
#define CUA_JSONOUT_H

#include <stdbool.h>

/* `key` is NULL in an array and at the top. */
void cua_jsonout_open(const char *key, char bracket); /* '{' or '[' */
void cua_jsonout_close(char bracket);                 /* '}' or ']'; the last one ends the line */

/* The string alone, in quotes. */
void cua_jsonout_quote(const char *text);

/* Bytes that are no UTF-8, as paths may hold, become U+FFFD. */
void cua_jsonout_string(const char *key, const char *value);
/* null for NULL and "". */
void cua_jsonout_text(const char *key, const char *value);
/* An object of such texts: their keys and values, NULL behind the last. */
void cua_jsonout_texts(const char *key, ...) __attribute__((sentinel));
void cua_jsonout_number(const char *key, long long value);
void cua_jsonout_bool(const char *key, bool value);
void cua_jsonout_null(const char *key);

#endif
