/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/collect/claim.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/escape.h"
#include "base/json.h"
#include "base/policy.h"

#define MOST_TOKENS 64
#define TEXT        1024
/* Room for one member of the log line. Escaping turns a byte into at most six bytes. */
#define ROOM ((size_t)6 * TEXT + 64)

enum kind { WORD, MAYBE, NUMBER };

/* The members of a log line that come from the datagram. */
static const struct member {
    const char *key;
    enum kind kind; /* WORD: a text, not empty; MAYBE: a WORD or null; NUMBER: a number or null */
    bool optional;
} members[] = {
    {"pid", NUMBER, false},   {"exe", MAYBE, false}, {"policy", WORD, false},
    {"level", WORD, false},   {"code", WORD, false}, {"reason", WORD, false},
    {"from", MAYBE, false},   {"to", MAYBE, false},  {"without", NUMBER, false},
    {"cuda", WORD, true},     {"kmd", WORD, true},   {"gpus", MAYBE, true},
    {"message", WORD, false},
};

struct line {
    char *text;
    size_t at;
    bool full;
};

/* Adds a member with a text; NULL or "" becomes null. If there is too little room, sets line->full
 * instead. */
static void add_text(struct line *line, const char *key, const char *text)
{
    line->full |= line->at + ROOM > CUA_CLAIM_LINE;
    if (line->full)
        return;
    line->at += (size_t)snprintf(line->text + line->at, 32, "%c\"%s\":%s", line->at ? ',' : '{',
                                 key, text && text[0] ? "\"" : "null");
    if (!text || !text[0])
        return;
    line->at += cua_escape(line->text + line->at, ROOM - 64, text, CUA_ESCAPE_JSON);
    line->text[line->at++] = '"';
}

static void add_number(struct line *line, const char *key, long number)
{
    line->full |= line->at + ROOM > CUA_CLAIM_LINE;
    if (!line->full)
        line->at += (size_t)snprintf(line->text + line->at, 64,
                                     number < 0 ? ",\"%s\":null" : ",\"%s\":%ld", key, number);
}

static bool is_null(const struct cua_json *json, int at)
{
    const jsmntok_t *token = &json->token[at];

    return token->type == JSMN_PRIMITIVE && token->end - token->start == 4 &&
           memcmp(json->text + token->start, "null", 4) == 0;
}

static bool take(struct line *line, const struct cua_json *json, const struct member *member)
{
    int at = cua_json_get(json, 0, member->key);
    char text[TEXT] = "";

    if (at < 0)
        return at == -1 && member->optional;
    if (member->kind == NUMBER) {
        long number = cua_json_number(json, at, 0xffffffffL);
        add_number(line, member->key, number);
        return number >= 0 || is_null(json, at);
    }
    bool null = member->kind == MAYBE && is_null(json, at);
    if (!null && (!cua_json_text(json, at, text, sizeof(text)) || !text[0]))
        return false;
    if (strcmp(member->key, "policy") == 0 && cua_policy_find(text) < 0)
        return false;
    add_text(line, member->key, text);
    return true;
}

/* Whether the text has no control characters, and so is a single line. */
static bool is_line(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)text[i] < ' ')
            return false;
    return true;
}

size_t cua_claim_print(char *line, const char *text, size_t size, const struct cua_origin *origin,
                       uid_t uid)
{
    jsmntok_t tokens[MOST_TOKENS];
    struct line out = {.text = line};
    struct cua_json json;
    struct utsname host = {.nodename = ""};
    char when[32] = "";
    time_t now = time(NULL);

    size -= size && text[size - 1] == '\n';
    if (!is_line(text, size) || !cua_json_object(&json, text, size, tokens, MOST_TOKENS))
        return 0;
    strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S.000Z", gmtime(&now));
    uname(&host);
    add_text(&out, "time", when);
    add_text(&out, "host", host.nodename);
    add_text(&out, "container", origin->id);
    add_text(&out, "namespace", origin->namespace);
    add_text(&out, "pod", origin->pod);
    add_text(&out, "name", origin->name);
    add_number(&out, "uid", (long)uid);
    for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
        if (!take(&out, &json, &members[i]))
            return 0;
    if (out.full)
        return 0;
    return out.at + (size_t)snprintf(line + out.at, 3, "}\n");
}
