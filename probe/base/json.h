/* SPDX-License-Identifier: Apache-2.0 */
/* Walking the tokens of jsmn. Strict: anything but one JSON object is refused. */
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

/* Whether objects and lists lie in each other at most 64 deep, in text of as many bytes as below:
 * the parser's time grows with the depth of each. */
bool cua_json_flat(const char *text, size_t size);

/* Parses `text` (at most `size` bytes, ending at a NUL before that) as one object. False if it is
 * not one, is nested deeper, or needs more than `room` tokens. */
bool cua_json_object(struct cua_json *json, const char *text, size_t size, jsmntok_t *tokens,
                     unsigned room);

/* The index of the value of `key` in the object at `object`; -1 where there is none, -2 where the
 * key is there twice. */
int cua_json_get(const struct cua_json *json, int object, const char *key);

/* The index after the value at `at` and everything inside it. */
int cua_json_after(const struct cua_json *json, int at);

/* A whole number from 0 to `most`; -1 if the token is not one. */
long cua_json_number(const struct cua_json *json, int at, long most);

/* Copies a string without escapes; false if it is not one, has escapes or does not fit. */
bool cua_json_string(const struct cua_json *json, int at, char *buf, size_t size);

#endif
