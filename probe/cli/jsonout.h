/* SPDX-License-Identifier: Apache-2.0 */
/* Writes JSON to stdout, indented. In all functions, `key` is the name of the member; NULL for an
 * element of an array and for the outermost value. */
#ifndef CUA_JSONOUT_H
#define CUA_JSONOUT_H

#include <stdbool.h>

/* Begins an object or an array. `bracket`: '{' or '['. */
void cua_jsonout_open(const char *key, char bracket);
/* Ends the object or array that was begun last. Ends the line too if that was the outermost one.
 * `bracket`: '}' or ']'. */
void cua_jsonout_close(char bracket);

/* Writes `text` as a JSON string, without the commas and blanks that the other functions add. */
void cua_jsonout_quote(const char *text);

/* Writes a string. Bytes that are not UTF-8, which paths may contain, become U+FFFD. */
void cua_jsonout_string(const char *key, const char *value);
/* Writes a string; JSON's null if `value` is NULL or "". */
void cua_jsonout_text(const char *key, const char *value);
/* Writes an object whose values are written by cua_jsonout_text. After `key` come the name and the
 * value of each member in turn, then NULL. */
void cua_jsonout_texts(const char *key, ...) __attribute__((sentinel));
void cua_jsonout_number(const char *key, long long value);
void cua_jsonout_bool(const char *key, bool value);
void cua_jsonout_null(const char *key);

#endif
