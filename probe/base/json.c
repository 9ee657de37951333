/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

/* This file and deploy/dockerfile.c include jsmn.h with its code; all other files include only its
 * declarations, by json.h. */
#define JSMN_STATIC
#define JSMN_STRICT
#define JSMN_PARENT_LINKS
#include <jsmn.h>

#include "base/json.h"

/* Limit for the depth of nesting. It limits jsmn's time: at each closing bracket jsmn walks from
 * the last token up to the token that the bracket closes, level by level. */
#define LEVELS 64

bool cua_json_flat(const char *text, size_t size)
{
    size_t levels = 0;
    bool quoted = false;

    for (size_t i = 0; i < size && text[i]; i++) {
        if (text[i] == '"')
            quoted = !quoted;
        else if (quoted)
            i += text[i] == '\\';
        else if ((text[i] == '[' || text[i] == '{') && ++levels > LEVELS)
            return false;
        else if ((text[i] == ']' || text[i] == '}') && levels)
            levels--;
    }
    return true;
}

bool cua_json_object(struct cua_json *json, const char *text, size_t size, jsmntok_t *tokens,
                     unsigned room)
{
    jsmn_parser parser;

    if (!cua_json_flat(text, size))
        return false;
    jsmn_init(&parser);
    int count = jsmn_parse(&parser, text, size, tokens, room);
    if (count < 1 || tokens[0].type != JSMN_OBJECT || tokens[0].end < 0)
        return false;
    *json = (struct cua_json){.text = text, .token = tokens, .count = count};

    /* jsmn accepts some texts that are not JSON: `{"a"}`, `["a":1]`, `{"a":1:2}`, and a second
     * value after the first. Refuse these. */
    for (int i = 1; i < count; i++) {
        int parent = tokens[i].parent;
        if (parent < 0 || tokens[parent].type == JSMN_PRIMITIVE)
            return false;
        if (tokens[parent].type == JSMN_OBJECT &&
            (tokens[i].type != JSMN_STRING || tokens[i].size != 1))
            return false;
        if (tokens[parent].type == JSMN_STRING && tokens[tokens[parent].parent].type != JSMN_OBJECT)
            return false;
    }
    return true;
}

int cua_json_after(const struct cua_json *json, int at)
{
    int end = json->token[at].end;

    for (at++; at < json->count && json->token[at].start < end; at++)
        ;
    return at;
}

int cua_json_get(const struct cua_json *json, int object, const char *key)
{
    size_t length = strlen(key);
    int found = -1;

    if (object < 0 || json->token[object].type != JSMN_OBJECT)
        return -1;
    for (int i = object + 1; i < json->count && json->token[i].start < json->token[object].end;) {
        const jsmntok_t *name = &json->token[i];
        int value = i + 1;
        if (value >= json->count)
            return -1;
        if ((size_t)(name->end - name->start) == length &&
            memcmp(json->text + name->start, key, length) == 0) {
            if (found >= 0)
                return -2;
            found = value;
        }
        i = cua_json_after(json, value);
    }
    return found;
}

long cua_json_number(const struct cua_json *json, int at, long most)
{
    long n = 0;

    if (at < 0 || json->token[at].type != JSMN_PRIMITIVE)
        return -1;
    for (int i = json->token[at].start; i < json->token[at].end; i++) {
        char c = json->text[i];
        if (c < '0' || c > '9')
            return -1;
        n = n * 10 + (c - '0');
        if (n > most)
            return -1;
    }
    return n;
}

bool cua_json_string(const struct cua_json *json, int at, char *buf, size_t size)
{
    if (at < 0 || json->token[at].type != JSMN_STRING)
        return false;
    const char *start = json->text + json->token[at].start;
    size_t length = (size_t)(json->token[at].end - json->token[at].start);
    if (length >= size || memchr(start, '\\', length))
        return false;
    memcpy(buf, start, length);
    buf[length] = '\0';
    return true;
}

/* Decodes an escape to UTF-8. *at is the index after its backslash, and is moved to the index after
 * the escape. jsmn has checked the escape's form. Returns the number of bytes written to `to`. NUL
 * and each half of a surrogate pair become U+FFFD. */
static size_t unescape(const char *text, int *at, char *to)
{
    static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
    const char *plain = strchr(from, text[*at]);
    unsigned c;

    if (text[*at] != 'u') {
        (*at)++;
        *to = plain ? into[plain - from] : '?';
        return 1;
    }
    if (sscanf(text + *at + 1, "%4x", &c) != 1 || c == 0 || (c >= 0xd800 && c < 0xe000))
        c = 0xfffd;
    *at += 5;
    if (c < 0x80) {
        *to = (char)c;
        return 1;
    }
    size_t n = 0;
    if (c < 0x800) {
        to[n++] = (char)(0xc0 | c >> 6);
    } else {
        to[n++] = (char)(0xe0 | c >> 12);
        to[n++] = (char)(0x80 | (c >> 6 & 0x3f));
    }
    to[n++] = (char)(0x80 | (c & 0x3f));
    return n;
}

bool cua_json_text(const struct cua_json *json, int at, char *buf, size_t size)
{
    const jsmntok_t *token = at < 0 ? NULL : &json->token[at];
    size_t n = 0;

    if (!token || token->type != JSMN_STRING)
        return false;
    for (int i = token->start; i < token->end;) {
        if (n + 4 >= size)
            return false;
        if (json->text[i] == '\\') {
            i++;
            n += unescape(json->text, &i, buf + n);
        } else {
            buf[n++] = json->text[i++];
        }
    }
    buf[n] = '\0';
    return true;
}
