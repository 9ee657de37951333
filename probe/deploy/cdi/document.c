/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/cdi/document.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* libyaml's functions take a document that is not const, even if they only read it. So OPEN casts
 * const away. */
#define OPEN(document)        ((yaml_document_t *)(uintptr_t) & (document)->yaml)
#define NODE(document, index) yaml_document_get_node(OPEN(document), index)

bool cua_document_is_list(const yaml_node_t *node)
{
    return node && node->type == YAML_SEQUENCE_NODE;
}

bool cua_document_is_map(const yaml_node_t *node)
{
    return node && node->type == YAML_MAPPING_NODE;
}

static const char *word_of(const yaml_node_t *node)
{
    return (const char *)node->data.scalar.value;
}

bool cua_document_is(const yaml_node_t *node, const char *word)
{
    return node && node->type == YAML_SCALAR_NODE && node->data.scalar.length == strlen(word) &&
           strcmp(word_of(node), word) == 0;
}

bool cua_document_is_null(const yaml_node_t *node)
{
    return node && node->type == YAML_SCALAR_NODE &&
           node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
           (!word_of(node)[0] || cua_document_is(node, "null") || cua_document_is(node, "~"));
}

bool cua_document_is_flow(const yaml_node_t *node)
{
    return cua_document_is_map(node) ? node->data.mapping.style == YAML_FLOW_MAPPING_STYLE
                                     : node->data.sequence.style == YAML_FLOW_SEQUENCE_STYLE;
}

size_t cua_document_count(const yaml_node_t *node)
{
    if (cua_document_is_map(node))
        return (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start);
    if (cua_document_is_list(node))
        return (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
    return 0;
}

yaml_node_t *cua_document_item(const struct cua_document *document, yaml_node_t *in, size_t index)
{
    if (!cua_document_is_list(in) || index >= cua_document_count(in))
        return NULL;
    return NODE(document, in->data.sequence.items.start[index]);
}

yaml_node_t *cua_document_member(const struct cua_document *document, yaml_node_t *in,
                                 const char *key, yaml_node_t **name)
{
    for (size_t i = 0; cua_document_is_map(in) && i < cua_document_count(in); i++) {
        const yaml_node_pair_t *pair = &in->data.mapping.pairs.start[i];
        yaml_node_t *found = NODE(document, pair->key);
        if (!cua_document_is(found, key))
            continue;
        if (name)
            *name = found;
        return NODE(document, pair->value);
    }
    return NULL;
}

yaml_node_t *cua_document_root(const struct cua_document *document)
{
    return yaml_document_get_root_node(OPEN(document));
}

/* Converts a position in `text` to bytes: libyaml counts characters, which can have several bytes
 * in UTF-8. */
static size_t bytes(const char *text, size_t characters)
{
    const char *at = text;

    for (; *at && (characters || ((unsigned char)*at & 0xc0) == 0x80); at++)
        characters -= ((unsigned char)*at & 0xc0) != 0x80;
    return (size_t)(at - text);
}

size_t cua_document_begin(const struct cua_document *document, const yaml_node_t *node)
{
    return bytes(document->text, node->start_mark.index);
}

/* For a list or a mapping in block style, libyaml's end mark is where the next value begins, after
 * comments and empty lines. So this uses the end of the last value in `node`. */
size_t cua_document_finish(const struct cua_document *document, yaml_node_t *node)
{
    while (cua_document_count(node) && !cua_document_is_flow(node))
        node = cua_document_is_list(node) ? NODE(document, node->data.sequence.items.top[-1])
                                          : NODE(document, node->data.mapping.pairs.top[-1].value);
    return bytes(document->text, node->end_mark.index);
}

/* Returns the line, counted from 1, at which libyaml gave up. If it gave up at bytes that are no
 * text, it sets only the offset of these, in `text`. */
static size_t line_of_error(const yaml_parser_t *parser, const char *text)
{
    size_t line = 1;

    if (parser->error != YAML_READER_ERROR)
        return parser->problem_mark.line + 1;
    for (size_t i = 0; i < parser->problem_offset && text[i]; i++)
        line += text[i] == '\n';
    return line;
}

/* Whether all keys of a mapping are scalars, and no key occurs twice. True for other nodes. */
static bool has_keys(const struct cua_document *document, yaml_node_t *map)
{
    for (size_t i = 0; cua_document_is_map(map) && i < cua_document_count(map); i++) {
        yaml_node_t *key = NODE(document, map->data.mapping.pairs.start[i].key), *first = NULL;
        if (key->type != YAML_SCALAR_NODE ||
            !cua_document_member(document, map, word_of(key), &first) || first != key)
            return false;
    }
    return true;
}

/* Whether the document is a mapping that meets the conditions of cua_document_read. In a tree, each
 * node except the root is the child of one other node, so there is one node more than there are
 * children. With an alias, one node is a child twice, so the numbers do not agree. */
static bool is_tree(const struct cua_document *document)
{
    size_t children = 0, nodes = 0;

    if (!cua_document_is_map(cua_document_root(document)))
        return false;
    for (yaml_node_t *node = document->yaml.nodes.start; node < document->yaml.nodes.top; node++) {
        if (!has_keys(document, node))
            return false;
        children += cua_document_count(node) * (cua_document_is_map(node) ? 2 : 1);
        nodes++;
    }
    return children + 1 == nodes;
}

bool cua_document_read(struct cua_document *document, const char *text, char *trouble, size_t size)
{
    yaml_parser_t parser;
    yaml_document_t next;
    bool read = false, only = false;

    document->text = text;
    snprintf(trouble, size, "%s", strerror(ENOMEM));
    if (!yaml_parser_initialize(&parser))
        return false;
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, strlen(text));
    read = yaml_parser_load(&parser, &document->yaml);
    if (read && yaml_parser_load(&parser, &next)) {
        only = !yaml_document_get_root_node(&next);
        yaml_document_delete(&next);
    }
    if (parser.error != YAML_NO_ERROR && parser.error != YAML_MEMORY_ERROR)
        snprintf(trouble, size, "not valid YAML or JSON: line %zu: %s",
                 line_of_error(&parser, text), parser.problem);
    else if (read && !(only = only && is_tree(document)))
        snprintf(
            trouble, size,
            "it must be one YAML or JSON object, without aliases (*NAME), and each key must be "
            "a text and occur once");
    yaml_parser_delete(&parser);
    if (read && !only)
        cua_document_end(document);
    return only;
}

void cua_document_end(struct cua_document *document)
{
    yaml_document_delete(&document->yaml);
}
