/* SPDX-License-Identifier: Apache-2.0 */
#include "command/summary/record.h"

#include <stdbool.h>
#include <string.h>

#include "base/json.h"
#include "base/policy.h"

#define MOST_TOKENS 128

/* Copies the string at `key`; "" if the value is null. False if the value is missing, is neither a
 * string nor null, or does not fit. */
static bool text_of(const struct cua_json *json, const char *key, char *to, size_t size)
{
    int value = cua_json_get(json, 0, key);

    to[0] = '\0';
    if (value < 0)
        return false;
    const jsmntok_t *token = &json->token[value];
    if (token->type == JSMN_PRIMITIVE)
        return json->text[token->start] == 'n';
    return cua_json_text(json, value, to, size);
}

static bool number_of(const struct cua_json *json, const char *key, long *number)
{
    int value = cua_json_get(json, 0, key);

    *number = value < 0 ? -1 : cua_json_number(json, value, 0xffffffffL);
    return value >= 0;
}

static bool is_time(const char *text)
{
    static const char form[] = "dddd-dd-ddTdd:dd:dd";

    for (size_t i = 0; i < sizeof(form) - 1; i++)
        if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
            return false;
    return true;
}

/* Parses a line of the OCI hook or of the NRI plugin, which is about a container. */
static enum cua_record_kind parse_container(struct cua_record *record, const struct cua_json *json)
{
    char did[16];

    if (!text_of(json, "hook", did, sizeof(did)) ||
        !text_of(json, "why", record->from, sizeof(record->from)) ||
        !text_of(json, "container", record->container, sizeof(record->container)))
        return CUA_RECORD_UNKNOWN;
    /* Lines of earlier versions have no policy. */
    if (!text_of(json, "policy", record->policy, sizeof(record->policy)))
        record->policy[0] = '\0';
    if (strcmp(did, "added") == 0)
        return CUA_RECORD_ADDED;
    return strcmp(did, "left") && strcmp(did, "missed") ? CUA_RECORD_UNKNOWN : CUA_RECORD_LEFT;
}

enum cua_record_kind cua_record_parse(struct cua_record *record, const char *line, size_t size)
{
    jsmntok_t tokens[MOST_TOKENS];
    struct cua_json json;
    char code[64];

    if (!cua_json_object(&json, line, size, tokens, MOST_TOKENS) ||
        !text_of(&json, "time", record->time, sizeof(record->time)) || !is_time(record->time))
        return CUA_RECORD_UNKNOWN;
    if (cua_json_get(&json, 0, "hook") >= 0)
        return parse_container(record, &json);
    if (!text_of(&json, "code", code, sizeof(code)) ||
        !text_of(&json, "host", record->host, sizeof(record->host)) ||
        !text_of(&json, "exe", record->exe, sizeof(record->exe)) ||
        !text_of(&json, "policy", record->policy, sizeof(record->policy)) ||
        cua_policy_find(record->policy) < 0)
        return CUA_RECORD_UNKNOWN;
    number_of(&json, "uid", &record->uid);
    if (cua_json_get(&json, 0, "reason") == -1)
        return CUA_RECORD_OTHER;
    if (!text_of(&json, "cuda", record->cuda, sizeof(record->cuda)) ||
        !text_of(&json, "kmd", record->kmd, sizeof(record->kmd)) ||
        !text_of(&json, "gpus", record->gpus, sizeof(record->gpus)))
        record->cuda[0] = record->kmd[0] = record->gpus[0] = '\0';
    return text_of(&json, "reason", record->reason, sizeof(record->reason)) &&
                   text_of(&json, "from", record->from, sizeof(record->from)) &&
                   text_of(&json, "to", record->to, sizeof(record->to)) &&
                   number_of(&json, "without", &record->without)
               ? CUA_RECORD_CHOICE
               : CUA_RECORD_UNKNOWN;
}
