/* SPDX-License-Identifier: Apache-2.0 */
/* Reads JSON with jsmn's tokens. Strict: the text must be exactly one JSON object. */
#ifndef CUA_JSON_H
#define CUA_JSON_H

#include <stdbool.h>
#include <stddef.h>

#define JSMN_HEADER
#define JSMN_STRICT
#define JSMN_PARENT_LINKS
#include <jsmn.h>
#undef JSMN_HEADER

struct cua_json {
    const char *text;
    const jsmntok_t *token;
    int count;
};

/* Whether objects and lists are nested at most 64 deep, in a text of at most `size` bytes. Deeper
 * text is refused because the parser's time grows with the depth. */
bool cua_json_flat(const char *text, size_t size);

/* Parses `text` (at most `size` bytes, or up to a NUL) as one object. False if it is not one, is
 * nested too deep, or needs more than `room` tokens. */
bool cua_json_object(struct cua_json *json, const char *text, size_t size, jsmntok_t *tokens,
                     unsigned room);

/* The index of the value of `key` in the object at `object`; -1 if the key is missing, -2 if it
 * occurs twice. */
int cua_json_get(const struct cua_json *json, int object, const char *key);

/* The index after the value at `at` and everything inside that value. */
int cua_json_after(const struct cua_json *json, int at);

/* A whole number from 0 to `most`; -1 if the token is not one. */
long cua_json_number(const struct cua_json *json, int at, long most);

/* Copies a string. False if it is not a string, contains escapes, or does not fit. */
bool cua_json_string(const struct cua_json *json, int at, char *buf, size_t size);

/* Copies a string with its escapes decoded to UTF-8; NUL and half a surrogate pair become U+FFFD.
 * The bytes are otherwise not checked. False if it is not a string or does not fit. */
bool cua_json_text(const struct cua_json *json, int at, char *buf, size_t size);

#endif
