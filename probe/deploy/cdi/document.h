/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a text in YAML or JSON with libyaml, and finds where in the text each value is, so that a
 * caller can change the text there. The engines' CDI library reads both formats with a Go port of
 * libyaml, so both readers accept the same texts. */
#ifndef CUA_CDI_DOCUMENT_H
#define CUA_CDI_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

struct cua_document {
    const char *text;
    yaml_document_t yaml;
};

/* Reads `text`, which must outlive the document. False, with the reason in `trouble`, if libyaml
 * cannot read the text, if the text is not exactly one mapping, if a mapping has a key twice, or if
 * there is an alias. After true, cua_document_end frees the document. */
bool cua_document_read(struct cua_document *document, const char *text, char *trouble, size_t size);
void cua_document_end(struct cua_document *document);

/* The mapping that contains everything. */
yaml_node_t *cua_document_root(const struct cua_document *document);

/* Returns the value of `key` in the mapping `in`; NULL if the key is missing, or `in` is NULL or no
 * mapping. `name`, unless NULL, receives the node of the key itself. */
yaml_node_t *cua_document_member(const struct cua_document *document, yaml_node_t *in,
                                 const char *key, yaml_node_t **name);

/* Returns the value at `index` in the list `in`; NULL if there is none. */
yaml_node_t *cua_document_item(const struct cua_document *document, yaml_node_t *in, size_t index);

/* How many items or members a list or a mapping has. */
size_t cua_document_count(const yaml_node_t *node);

bool cua_document_is_list(const yaml_node_t *node);
bool cua_document_is_map(const yaml_node_t *node);

/* Whether a value is null: null, ~ or nothing is written after its key. */
bool cua_document_is_null(const yaml_node_t *node);

/* Whether a scalar is exactly this word. */
bool cua_document_is(const yaml_node_t *node, const char *word);

/* Whether a list or a mapping is written in brackets or braces, as in JSON. */
bool cua_document_is_flow(const yaml_node_t *node);

/* Where a value begins, and where it ends (exclusive), in bytes of the text. */
size_t cua_document_begin(const struct cua_document *document, const yaml_node_t *node);
size_t cua_document_finish(const struct cua_document *document, yaml_node_t *node);

#endif
