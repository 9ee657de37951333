/* SPDX-License-Identifier: Apache-2.0 */
/* Reads JSON with jsmn. The text must be exactly one JSON object. */
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

/* Whether objects and lists are nested at most 64 deep in a text of `size` bytes, or up to a NUL. A
 * deeper text must not be parsed, because jsmn's time grows with the depth. */
bool cua_json_flat(const char *text, size_t size);

/* Parses `text` (at most `size` bytes, or up to a NUL) as one object. False if it is not one, is
 * nested too deep, or needs more than `room` tokens. */
bool cua_json_object(struct cua_json *json, const char *text, size_t size, jsmntok_t *tokens,
                     unsigned room);

/* Returns the index of the value of `key` in the object at index `object`. Returns -1 if the key is
 * missing or `object` is not an object, -2 if the key occurs twice. */
int cua_json_get(const struct cua_json *json, int object, const char *key);

/* Returns the index of the next token after the value at index `at` and everything inside that
 * value. */
int cua_json_after(const struct cua_json *json, int at);

/* Returns the whole number at index `at`, from 0 to `most`; -1 if the token is no such number, or
 * `at` is negative. */
long cua_json_number(const struct cua_json *json, int at, long most);

/* Copies the string at index `at`. False if there is no string, if it contains escapes, or if it
 * does not fit. */
bool cua_json_string(const struct cua_json *json, int at, char *buf, size_t size);

/* Copies the string at index `at`, with its escapes decoded to UTF-8. An escape for NUL becomes
 * U+FFFD, and so does each half of a surrogate pair. The other bytes are not checked. False if
 * there is no string, or if `buf` is too small. A `buf` with 4 bytes more than the decoded text is
 * always large enough. */
bool cua_json_text(const struct cua_json *json, int at, char *buf, size_t size);

#endif
