/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a text in YAML or JSON with libyaml, and finds where in the text each value is, so that a
 * caller can change the text there. The CDI library of the container engines reads both formats
 * with a Go port of libyaml, so it understands the same texts. */
#ifndef CUA_CDI_DOCUMENT_H
#define CUA_CDI_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

struct cua_document {
    const char *text;
    yaml_document_t yaml;
};

/* Reads `text`, which must outlive the document. Returns true on success; the caller then frees the
 * document with cua_document_end. Returns false, with the reason in `trouble` (`size` bytes), if
 * - libyaml cannot read the text, or there is no memory;
 * - the text is not exactly one mapping;
 * - a mapping has a key twice, or a key that is not a scalar;
 * - the text has an alias. */
bool cua_document_read(struct cua_document *document, const char *text, char *trouble, size_t size);
void cua_document_end(struct cua_document *document);

/* The outermost mapping, which is the whole document. */
yaml_node_t *cua_document_root(const struct cua_document *document);

/* Returns the value of `key` in the mapping `in`; NULL if the key is missing, or `in` is NULL or no
 * mapping. `name` (may be NULL) receives the key's node if the key is found. */
yaml_node_t *cua_document_member(const struct cua_document *document, yaml_node_t *in,
                                 const char *key, yaml_node_t **name);

/* Returns the value at `index` in the list `in`; NULL if there is none, or `in` is NULL or no
 * list. */
yaml_node_t *cua_document_item(const struct cua_document *document, yaml_node_t *in, size_t index);

/* The number of items of a list, or of members of a mapping; 0 for NULL and other nodes. */
size_t cua_document_count(const yaml_node_t *node);

bool cua_document_is_list(const yaml_node_t *node);
bool cua_document_is_map(const yaml_node_t *node);

/* Whether a value is null: it is `null` or `~` without quotes, or nothing is written. */
bool cua_document_is_null(const yaml_node_t *node);

/* Whether `node` is a scalar and its text is `word`; false for NULL. */
bool cua_document_is(const yaml_node_t *node, const char *word);

/* Whether `node`, a list or a mapping, is written in brackets or braces, as in JSON. */
bool cua_document_is_flow(const yaml_node_t *node);

/* Where a value begins, and where it ends (exclusive), in bytes of the text. */
size_t cua_document_begin(const struct cua_document *document, const yaml_node_t *node);
size_t cua_document_finish(const struct cua_document *document, yaml_node_t *node);

#endif
