/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "deploy/cdi/kind.h"
#include "deploy/cdi/spec_json.h"
#include "deploy/hook/wrapper.h"

static const char blanks[] = " \t\r\n";

/* Skips a string, a number, true, false or null. Returns what follows; NULL if there is none of
 * these. */
static const char *skip_plain(const char *at)
{
    static const char *const words[] = {"true", "false", "null"};

    if (*at == '"') {
        while (*++at != '"') {
            if ((unsigned char)*at < ' ' || (*at == '\\' && !strchr("\"\\/bfnrtu", *++at)) || !*at)
                return NULL;
        }
        return at + 1;
    }
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (strncmp(at, words[i], strlen(words[i])) == 0)
            return at + strlen(words[i]);
    size_t digits = strspn(at + (*at == '-'), "0123456789.eE+-");
    return digits ? at + (*at == '-') + digits : NULL;
}

/* Skips a value and the blanks after it. Returns what follows; NULL if the value is not valid JSON.
 * jsmn does not check that: it accepts missing commas and any words. */
static const char *skip_value(const char *at, int depth)
{
    at += strspn(at, blanks);
    if (*at != '{' && *at != '[') {
        at = skip_plain(at);
        return at ? at + strspn(at, blanks) : NULL;
    }
    char end = *at == '{' ? '}' : ']';
    at++;
    at += strspn(at, blanks);
    while (depth < 64 && *at != end) {
        if (end == '}' && *at != '"')
            return NULL;
        at = skip_value(at, depth + 1);
        if (at && end == '}')
            at = *at == ':' ? skip_value(at + 1, depth + 1) : NULL;
        if (!at || (*at != ',' && *at != end))
            return NULL;
        if (*at == end)
            break;
        at++;
        at += strspn(at, blanks);
        if (*at == end)
            return NULL;
    }
    return *at == end ? at + 1 + strspn(at + 1, blanks) : NULL;
}

static bool is_json(const char *text)
{
    const char *end = skip_value(text, 0);

    return end && !*end;
}

/* Parses a specification. False if the CDI library would not load it. */
static bool parse(struct cua_json *json, jsmntok_t *tokens, unsigned room, const char *text)
{
    if (!is_json(text) || !cua_json_object(json, text, strlen(text), tokens, room))
        return false;
    int version = cua_json_get(json, 0, "cdiVersion"), kind = cua_json_get(json, 0, "kind");
    int devices = cua_json_get(json, 0, "devices");
    int edits = cua_json_get(json, 0, "containerEdits");
    int hooks = cua_json_get(json, edits, "hooks");
    return version >= 0 && tokens[version].type == JSMN_STRING && kind >= 0 &&
           tokens[kind].type == JSMN_STRING && devices >= 0 && tokens[devices].type == JSMN_ARRAY &&
           edits != -2 && (edits < 0 || tokens[edits].type == JSMN_OBJECT) && hooks != -2 &&
           (hooks < 0 || tokens[hooks].type == JSMN_ARRAY);
}

/* Whether a hook is ours. Its arguments show that, even after another tool has rewritten the
 * file. */
static bool is_ours(const struct cua_json *json, int hook)
{
    static const char *const wanted[] = {[3] = "cuarbiter", [5] = "hook"};
    int args = cua_json_get(json, hook, "args");
    char word[16];

    if (!cua_json_string(json, cua_json_get(json, hook, "path"), word, sizeof(word)) ||
        strcmp(word, CUA_HOOK_SHELL) != 0 || args < 0 || json->token[args].type != JSMN_ARRAY ||
        json->token[args].size < 6)
        return false;
    for (int i = 0, at = args + 1; i < 6; i++, at = cua_json_after(json, at))
        if (wanted[i] &&
            (!cua_json_string(json, at, word, sizeof(word)) || strcmp(word, wanted[i]) != 0))
            return false;
    return true;
}

bool cua_spec_is_ours(const char *object, size_t length)
{
    jsmntok_t tokens[64];
    struct cua_json json;

    return cua_json_object(&json, object, length, tokens, 64) && is_ours(&json, 0);
}

/* Cuts out the text from `from` to `to`, and the comma after or before it. */
static void cut(char *text, int from, int to)
{
    int after = to + (int)strspn(text + to, blanks), before = from;

    while (before > 0 && strchr(blanks, text[before - 1]))
        before--;
    if (text[after] == ',')
        to = after + 1;
    else if (before > 0 && text[before - 1] == ',')
        from = before - 1;
    memmove(text + from, text + to, strlen(text + to) + 1);
}

/* Cuts out one of our hooks. If it is the only hook, cuts out the list "hooks" too; if that is the
 * only member, "containerEdits" too. False: there is none of ours. */
static bool cut_ours(const struct cua_json *json, char *text)
{
    int edits = cua_json_get(json, 0, "containerEdits"), hooks = cua_json_get(json, edits, "hooks");
    const jsmntok_t *token = json->token;

    for (int i = 0, at = hooks + 1; hooks >= 0 && i < token[hooks].size;
         i++, at = cua_json_after(json, at)) {
        if (!is_ours(json, at))
            continue;
        /* A member's name is the token before its value, without the quotes around it. */
        if (token[hooks].size > 1)
            cut(text, token[at].start, token[at].end);
        else if (token[edits].size > 1)
            cut(text, token[hooks - 1].start - 1, token[hooks].end);
        else
            cut(text, token[edits - 1].start - 1, token[edits].end);
        return true;
    }
    return false;
}

static const char *kind_trouble(const struct cua_json *json)
{
    const jsmntok_t *kind = &json->token[cua_json_get(json, 0, "kind")];

    return cua_kind_trouble(json->text + kind->start, (size_t)(kind->end - kind->start));
}

static char *insert(const struct cua_json *json, const char *hook)
{
    int edits = cua_json_get(json, 0, "containerEdits"), hooks = cua_json_get(json, edits, "hooks");
    int around = hooks >= 0 ? hooks : edits >= 0 ? edits : 0;
    int at = json->token[around].start + 1;
    char *made = NULL;

    if (asprintf(&made, "%.*s%s%s%s%s%s%s%s", at, json->text,
                 edits < 0 ? "\"containerEdits\":{" : "", hooks < 0 ? "\"hooks\":[" : "", hook,
                 hooks < 0 ? "]" : "", edits < 0 ? "}" : "", json->token[around].size ? "," : "",
                 json->text + at) < 0)
        return NULL;
    return made;
}

char *cua_spec_json(const char *text, const char *hook, const char **trouble)
{
    unsigned room = (unsigned)(strlen(text) / 2 + 2);
    jsmntok_t *tokens = malloc(room * sizeof(*tokens));
    char *copy = strdup(text), *made = NULL;
    struct cua_json json;
    bool right = false;
    int ours = -1;

    *trouble = strerror(ENOMEM);
    if (tokens && copy) {
        do {
            right = parse(&json, tokens, room, copy);
            ours++;
        } while (right && cut_ours(&json, copy));
        if (!right)
            *trouble = "not a valid CDI specification";
        else if (hook && kind_trouble(&json))
            *trouble = kind_trouble(&json);
        else if (!hook || (ours == 1 && strstr(text, hook)))
            made = strdup(hook ? text : copy);
        else
            made = insert(&json, hook);
    }
    free(copy);
    free(tokens);
    return made;
}

char *cua_runtime_json(const char *text, const char *hook, const char **trouble)
{
    unsigned room = (unsigned)(strlen(text) / 2 + 2);
    jsmntok_t *tokens = malloc(room * sizeof(*tokens));
    struct cua_json json;
    char *made = NULL;

    if (tokens && (!is_json(text) || !cua_json_object(&json, text, strlen(text), tokens, room) ||
                   cua_json_get(&json, 0, "ociVersion") < 0))
        *trouble = "not a valid OCI runtime configuration";
    else if (tokens && cua_json_get(&json, 0, "hooks") != -1)
        *trouble =
            "it has hooks already: add to them, by hand, what print-oci prints without a file";
    else if (!tokens || asprintf(&made, "{\n\"hooks\": {\"createContainer\": [{%s}]},%s", hook,
                                 strchr(text, '{') + 1) < 0)
        *trouble = strerror(ENOMEM);
    free(tokens);
    return made;
}
