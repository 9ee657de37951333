/* SPDX-License-Identifier: Apache-2.0 */
/* JSON is also YAML, so our hook is one line of JSON. The mark at its end tells readers where the
 * line comes from. Keys that were added for the hook have the mark too. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "deploy/cdi/kind.h"
#include "deploy/cdi/spec_json.h"
#include "deploy/cdi/spec_yaml.h"

#define MARK      " # cuarbiter\n"
#define MOST_DEEP 32

enum block { MAP, LIST };

struct blocks {
    struct {
        size_t column;
        enum block kind;
    } in[MOST_DEEP];
    int depth;
    bool open; /* the last key or dash has no value yet, so a deeper block may follow */
};

static size_t line_length(const char *line)
{
    size_t length = strcspn(line, "\n");

    return line[length] ? length + 1 : length;
}

/* Records a key (MAP) or a dash (LIST) at this column. It belongs to an open block or begins a new
 * one. False if neither is possible. */
static bool enter(struct blocks *blocks, size_t column, enum block kind)
{
    int top = blocks->depth - 1;

    while (top >= 0 && blocks->in[top].column > column)
        top--;
    if (top >= 0 && blocks->in[top].column == column && blocks->in[top].kind == LIST && kind == MAP)
        top--;
    /* If this ends the innermost block, a key without a value in that block stays without one. */
    blocks->open &= top == blocks->depth - 1;
    if (top < 0 || blocks->in[top].column != column || blocks->in[top].kind != kind) {
        if (!blocks->open || ++top == MOST_DEEP)
            return false;
        blocks->in[top].column = column;
        blocks->in[top].kind = kind;
    }
    blocks->depth = top + 1;
    blocks->open = true;
    return true;
}

/* Whether a quoted value ends with its closing quote, and no earlier. */
static bool is_quoted(const char *value, size_t length)
{
    size_t i = 1;

    for (; i < length &&
           (value[i] != value[0] || (value[0] == '\'' && i + 1 < length && value[i + 1] == '\''));
         i++)
        i += value[i] == (value[0] == '"' ? '\\' : '\'');
    return i + 1 == length;
}

static bool is_plain(const char *value, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (value[i] == ':' && (i + 1 == length || value[i + 1] == ' '))
            return false;
    return !length || (!strchr("|>&*!@`%,]}", value[0]) &&
                       !(strchr("-?", value[0]) && (length == 1 || value[1] == ' ')));
}

/* Whether a value is in a known form that is complete on its line. */
static bool is_value(const char *value, size_t length)
{
    jsmntok_t tokens[64];
    struct cua_json json;

    while (length && value[length - 1] == ' ')
        length--;
    switch (length ? value[0] : '\0') {
    case '"':
    case '\'':
        return is_quoted(value, length);
    case '[':
        return length == 2 && value[1] == ']';
    case '{':
        return cua_json_object(&json, value, length, tokens, 64);
    default:
        return is_plain(value, length);
    }
}

/* Returns the colon after a key, which must be a plain word; NULL if there is none. */
static const char *colon(const char *word, const char *end)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "_-./";

    for (; word < end && strchr(letters, *word); word++)
        ;
    return word < end && *word == ':' && (word + 1 == end || word[1] == ' ') ? word : NULL;
}

static bool loads_line(struct blocks *blocks, const char *line, const char *end)
{
    const char *word = line + strspn(line, " "), *mark = strstr(line, MARK);
    bool item = false;

    if (mark && mark < end)
        end = mark;
    if (word >= end || *word == '#')
        return true;
    while (word < end && *word == '-' && (word + 1 == end || word[1] == ' ')) {
        if (!enter(blocks, (size_t)(word - line), LIST))
            return false;
        item = true;
        word++;
        word += strspn(word, " ");
    }
    if (word >= end)
        return item;
    const char *to = colon(word, end);
    if (to && !enter(blocks, (size_t)(word - line), MAP))
        return false;
    if (!to && !item)
        return false;
    const char *value = to ? to + 1 : word;
    while (value < end && *value == ' ')
        value++;
    if (value < end)
        blocks->open = false;
    return is_value(value, (size_t)(end - value));
}

static bool loads(const char *text)
{
    struct blocks blocks = {.open = true};
    bool right = !strchr(text, '\t') && !strchr(text, '\r');

    if (strncmp(text, "---\n", 4) == 0)
        text += 4;
    for (; right && *text; text += line_length(text))
        right = strncmp(text, "---", 3) != 0 && strncmp(text, "...", 3) != 0 &&
                loads_line(&blocks, text, text + strcspn(text, "\n"));
    return right;
}

/* Returns the line that has this key at this column; NULL if there is none before a line that is
 * less indented. */
static const char *key_line(const char *text, size_t column, const char *key)
{
    for (; *text; text += line_length(text)) {
        size_t blanks = strspn(text, " "), length = strlen(key);
        if (text[blanks] == '\n' || text[blanks] == '#')
            continue;
        if (blanks < column)
            return NULL;
        if (blanks == column && strncmp(text + blanks, key, length) == 0 &&
            text[blanks + length] == ':')
            return text;
    }
    return NULL;
}

static bool is_empty_key(const char *line, size_t column, const char *key)
{
    const char *rest = line + column + strlen(key) + 1;

    return *rest == '\n' || !*rest || strncmp(rest, MARK, strlen(MARK)) == 0;
}

/* Checks the value of the key `kind`. It may have quotes around it, and a comment after it. */
static const char *kind_trouble(const char *text)
{
    const char *value = key_line(text, 0, "kind") + strlen("kind:");

    value += strspn(value, " \"'");
    return cua_kind_trouble(value, strcspn(value, " \"'#\n"));
}

/* If `text` begins with lines that insert() wrote (the hook, perhaps with keys before it), returns
 * their length; else 0. The mark alone proves nothing: another tool's line may end with it. */
static size_t own_lines(const char *text)
{
    static const char *const keys[] = {"containerEdits:" MARK, "hooks:" MARK};
    const char *line = text;

    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        size_t blanks = strspn(line, " "), length = strlen(keys[i]);
        if ((blanks > 0) == (i > 0) && strncmp(line + blanks, keys[i], length) == 0)
            line += blanks + length;
    }
    const char *item = line + strspn(line, " "), *end = strchr(item, '\n');
    size_t length = end ? (size_t)(end + 1 - item) : 0;
    if (length < strlen("- " MARK) || strncmp(item, "- ", 2) != 0 ||
        strncmp(end + 1 - strlen(MARK), MARK, strlen(MARK)) != 0 ||
        !cua_spec_is_ours(item + 2, length - strlen("- " MARK)))
        return 0;
    return (size_t)(end + 1 - text);
}

/* Removes our lines. A key of ours stays if another tool has put something below it. */
static char *strip(const char *text)
{
    char *copy = calloc(strlen(text) + 1, 1), *to = copy;

    for (size_t length, own; copy && *text; text += own ? own : length) {
        length = line_length(text);
        own = own_lines(text);
        /* Keep each of our keys below which another tool has put something. */
        for (const char *line = text, *next = text + own;
             line < next && strspn(line, " -") == strspn(line, " "); line += line_length(line)) {
            size_t blanks = strspn(line, " "), below = strspn(next, " ");
            if (!*next || !(below > blanks || (below == blanks && next[below] == '-')))
                continue;
            memcpy(to, line, line_length(line));
            to += line_length(line);
        }
        if (!own) {
            memcpy(to, text, length);
            to += length;
        }
    }
    return copy;
}

static const char other_form[] = "not in the form that nvidia-ctk writes";

/* Inserts our hook into a text that does not have it. NULL, with the reason in *trouble. */
static char *insert(const char *text, const char *hook, const char **trouble)
{
    const char *edits = key_line(text, 0, "containerEdits"), *at = text + strlen(text),
               *hooks = NULL;
    size_t column = 2, dash = 2;
    char *made = NULL;

    if (edits) {
        at = edits + line_length(edits);
        size_t blanks = strspn(at, " ");
        column = dash = blanks ? blanks : 2;
        hooks = key_line(at, column, "hooks");
        if (!is_empty_key(edits, 0, "containerEdits") ||
            (hooks && !is_empty_key(hooks, column, "hooks"))) {
            *trouble = other_form;
            return NULL;
        }
    }
    if (hooks) {
        at = hooks + line_length(hooks);
        dash = strspn(at, " ");
    }
    const char *ends = at > text && at[-1] != '\n' ? "\n" : "";
    if (asprintf(&made, "%.*s%s%s%*s%s%*s- %s" MARK "%s", (int)(at - text), text, ends,
                 edits ? "" : "containerEdits:" MARK, hooks ? 0 : (int)column, "",
                 hooks ? "" : "hooks:" MARK, (int)dash, "", hook, at) < 0)
        made = NULL;
    return made;
}

char *cua_spec_yaml(const char *text, const char *hook, const char **trouble)
{
    char *plain = strip(text), *made = NULL;

    *trouble = strerror(ENOMEM);
    if (!plain)
        return NULL;
    if (!loads(plain) || !key_line(plain, 0, "kind") || !key_line(plain, 0, "cdiVersion") ||
        !key_line(plain, 0, "devices"))
        *trouble = "not a CDI specification in the form that nvidia-ctk writes";
    else if (!hook)
        made = strdup(plain);
    else if (!(*trouble = kind_trouble(plain)) && (made = insert(plain, hook, trouble)) &&
             !loads(made)) {
        *trouble = other_form;
        free(made);
        made = NULL;
    }
    free(plain);
    return made;
}
