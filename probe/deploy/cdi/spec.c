/* SPDX-License-Identifier: Apache-2.0 */
/* The hook (spec.h) is written as JSON, which is also valid YAML. In YAML in block style the hook
 * takes one line. The line ends with the comment MARK, to show administrators where the hook comes
 * from. If the key hooks or containerEdits is missing, this file adds a line for the key, which
 * ends with MARK too. So a key that was added for the hook can be removed together with the
 * hook. */
#include "deploy/cdi/spec.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/cdi/document.h"
#include "deploy/cdi/kind.h"
#include "deploy/hook/wrapper.h"

#define MARK " # cuarbiter\n"

static const char blanks[] = " \t\r\n";

struct spec {
    struct cua_document document;
    yaml_node_t *root, *kind;
    yaml_node_t *edits, *edits_key; /* containerEdits: value (NULL if missing or null) and key */
    yaml_node_t *hooks, *hooks_key; /* hooks in `edits`: value (NULL if missing or null) and key */
    yaml_node_t *in;                /* the first of hooks, edits and root that is not NULL */
    yaml_node_t *null;              /* the null value of containerEdits or hooks; NULL if none */
};

/* Looks for `key` in the mapping spec->in; `name` receives the key's node. Returns the value, and
 * makes the value the new spec->in. If the value is null, stores its node in spec->null and returns
 * NULL. If the key is missing, returns NULL. */
static yaml_node_t *descend(struct spec *spec, const char *key, yaml_node_t **name)
{
    yaml_node_t *value = cua_document_member(&spec->document, spec->in, key, name);

    if (value && cua_document_is_null(value)) {
        spec->null = value;
        return NULL;
    }
    spec->in = value ? value : spec->in;
    return value;
}

/* Parses a specification. Returns true on success; the caller then frees spec->document with
 * cua_document_end. Returns false, with the reason in `trouble`, if
 * - cua_document_read refuses the text;
 * - cdiVersion, kind or devices is missing, so that the CDI library would not load the
 *   specification;
 * - cdiVersion, kind, devices, containerEdits or hooks has the wrong type. */
static bool parse(struct spec *spec, const char *text, char *trouble)
{
    const struct cua_document *document = &spec->document;

    *spec = (struct spec){.root = NULL};
    if (!cua_document_read(&spec->document, text, trouble, CUA_SPEC_TROUBLE))
        return false;
    spec->in = spec->root = cua_document_root(document);
    spec->kind = cua_document_member(document, spec->root, "kind", NULL);
    spec->edits = descend(spec, "containerEdits", &spec->edits_key);
    spec->hooks = spec->edits ? descend(spec, "hooks", &spec->hooks_key) : NULL;
    const yaml_node_t *version = cua_document_member(document, spec->root, "cdiVersion", NULL);
    if (spec->root && version && version->type == YAML_SCALAR_NODE && spec->kind &&
        spec->kind->type == YAML_SCALAR_NODE &&
        cua_document_is_list(cua_document_member(document, spec->root, "devices", NULL)) &&
        (!spec->edits || cua_document_is_map(spec->edits)) &&
        (!spec->hooks || cua_document_is_list(spec->hooks)))
        return true;
    snprintf(trouble, CUA_SPEC_TROUBLE,
             "not a valid CDI specification: cdiVersion, kind or devices is missing, or one of "
             "them, containerEdits or hooks is of the wrong type");
    cua_document_end(&spec->document);
    return false;
}

/* Whether a hook is cuarbiter's. Its path and its arguments show that. The comment MARK is not
 * required, because another tool may have written the file anew without it. */
static bool is_ours(const struct cua_document *document, yaml_node_t *hook)
{
    yaml_node_t *args = cua_document_member(document, hook, "args", NULL);

    return cua_document_is(cua_document_member(document, hook, "path", NULL), CUA_HOOK_SHELL) &&
           cua_document_is(cua_document_item(document, args, 3), "cuarbiter") &&
           cua_document_is(cua_document_item(document, args, 5), "hook");
}

/* Cuts the bytes from `from` to `to` out of `text`: an item of a list in brackets, or a member of a
 * mapping in braces. Also cuts out one comma: the one after them or, if there is none, the one
 * before them. */
static void cut(char *text, size_t from, size_t to)
{
    size_t after = to + strspn(text + to, blanks), before = from;

    while (before > 0 && strchr(blanks, text[before - 1]))
        before--;
    if (text[after] == ',')
        to = after + 1;
    else if (before > 0 && text[before - 1] == ',')
        from = before - 1;
    memmove(text + from, text + to, strlen(text + to) + 1);
}

static size_t line_of(const char *text, size_t at)
{
    while (at > 0 && text[at - 1] != '\n')
        at--;
    return at;
}

static size_t next_line(const char *text, size_t at)
{
    at += strcspn(text + at, "\n");
    return at + (text[at] == '\n');
}

/* Whether `key` was added for the hook: on its line only a colon and MARK follow. */
static bool is_marked(const struct cua_document *document, const yaml_node_t *key)
{
    const char *text = document->text + cua_document_begin(document, key);

    return strncmp(text + key->data.scalar.length, ":" MARK, strlen(":" MARK)) == 0;
}

/* Cuts the lines of `hook`, an item of a list in block style, out of `text`. If the key hooks was
 * added for the hook and contains nothing else, cuts out its line too; then the same for the key
 * containerEdits. False if the hook does not begin on the line of its dash, where tools write
 * it. */
static bool cut_lines(struct spec *spec, yaml_node_t *hook, char *text)
{
    const struct cua_document *document = &spec->document;
    const size_t begin = cua_document_begin(document, hook);
    size_t from = line_of(text, begin), to = next_line(text, cua_document_finish(document, hook));
    size_t dash = from + strspn(text + from, " ");

    if (text[dash] != '-' || dash + 1 + strspn(text + dash + 1, " ") != begin)
        return false;
    if (cua_document_count(spec->hooks) == 1 && is_marked(document, spec->hooks_key)) {
        from = line_of(text, cua_document_begin(document, spec->hooks_key));
        if (cua_document_count(spec->edits) == 1 && is_marked(document, spec->edits_key))
            from = line_of(text, cua_document_begin(document, spec->edits_key));
    }
    memmove(text + from, text + to, strlen(text + to) + 1);
    return true;
}

/* Cuts `hook`, an item of a list in brackets, out of `text`. If the list has no other item, cuts
 * out the whole member hooks instead. If containerEdits has no other member either, cuts out the
 * whole member containerEdits instead. A member is only cut out of a mapping in braces. */
static void cut_flow(struct spec *spec, yaml_node_t *hook, char *text)
{
    const struct cua_document *document = &spec->document;
    yaml_node_t *from = hook, *to = hook;

    if (cua_document_count(spec->hooks) == 1 && cua_document_is_flow(spec->edits)) {
        from = spec->hooks_key, to = spec->hooks;
        if (cua_document_count(spec->edits) == 1 && cua_document_is_flow(spec->root))
            from = spec->edits_key, to = spec->edits;
    }
    cut(text, cua_document_begin(document, from), cua_document_finish(document, to));
}

/* Cuts the first of cuarbiter's hooks out of `text`, a copy of the text that was parsed. Returns 1:
 * done; 0: there is no such hook; -1: the hook's lines are not as tools write them. */
static int cut_ours(struct spec *spec, char *text)
{
    for (size_t i = 0; i < cua_document_count(spec->hooks); i++) {
        yaml_node_t *hook = cua_document_item(&spec->document, spec->hooks, i);
        if (!is_ours(&spec->document, hook))
            continue;
        if (!cua_document_is_flow(spec->hooks))
            return cut_lines(spec, hook, text) ? 1 : -1;
        cut_flow(spec, hook, text);
        return 1;
    }
    return 0;
}

/* Returns a copy of `text` with `made` in place of the bytes from `from` to `to`. Frees `made`.
 * NULL if `made` is NULL or there is no memory. */
static char *replace(const char *text, size_t from, size_t to, char *made)
{
    char *whole = NULL;

    if (made && asprintf(&whole, "%.*s%s%s", (int)from, text, made, text + to) < 0)
        whole = NULL;
    free(made);
    return whole;
}

/* Returns the text with spec->null, the null value of containerEdits or of hooks, replaced by a
 * value that contains the hook. NULL if there is no memory. */
static char *replace_null(struct spec *spec, const char *hook)
{
    const bool list = spec->in == spec->edits;
    const size_t from = cua_document_begin(&spec->document, spec->null);
    const size_t to = cua_document_finish(&spec->document, spec->null);
    char *made = NULL;

    if (asprintf(&made, "%s%s%s%s", from == to ? " " : "", list ? "[" : "{\"hooks\":[", hook,
                 list ? "]" : "]}") < 0)
        return NULL;
    return replace(spec->document.text, from, to, made);
}

/* Returns the text with the hook inserted after the opening bracket or brace of spec->in. If the
 * key hooks or containerEdits is missing, it is inserted too, around the hook. NULL if there is no
 * memory. */
static char *insert_flow(struct spec *spec, const char *hook)
{
    const size_t at = cua_document_begin(&spec->document, spec->in) + 1;
    const bool bare = spec->in == spec->hooks, list = spec->in == spec->edits;
    char *made = NULL;

    if (asprintf(&made, "%s%s%s%s",
                 bare   ? ""
                 : list ? "\"hooks\":["
                        : "\"containerEdits\":{\"hooks\":[",
                 hook,
                 bare   ? ""
                 : list ? "]"
                        : "]}",
                 cua_document_count(spec->in) ? "," : "") < 0)
        return NULL;
    return replace(spec->document.text, at, at, made);
}

/* Returns the text with the hook inserted on its own line in spec->in, which is in block style. In
 * the root, the hook is inserted at the end, below new lines for the keys containerEdits and hooks.
 * In containerEdits, it is inserted at the beginning, below a new line for the key hooks. In hooks,
 * it is inserted before the first item. NULL if there is no memory. */
static char *insert_lines(struct spec *spec, const char *hook)
{
    const char *text = spec->document.text;
    const bool top = spec->in == spec->root, bare = spec->in == spec->hooks;
    const int column = (int)spec->in->start_mark.column, deep = top ? column + 2 : column;
    const size_t at =
        top ? strlen(text) : line_of(text, cua_document_begin(&spec->document, spec->in));
    char *made = NULL;

    if (asprintf(&made, "%s%*s%s%*s%s%*s- %s" MARK, at && text[at - 1] != '\n' ? "\n" : "",
                 top ? column : 0, "", top ? "containerEdits:" MARK : "", bare ? 0 : deep, "",
                 bare ? "" : "hooks:" MARK, deep, "", hook) < 0)
        return NULL;
    return replace(text, at, at, made);
}

/* Whether the text is a specification and its first hook is cuarbiter's. insert() calls this to
 * check the text that it has made. */
static bool has_ours(const char *text)
{
    char trouble[CUA_SPEC_TROUBLE];
    struct spec spec;
    bool first;

    if (!parse(&spec, text, trouble))
        return false;
    first = is_ours(&spec.document, cua_document_item(&spec.document, spec.hooks, 0));
    cua_document_end(&spec.document);
    return first;
}

static char *insert(struct spec *spec, const char *hook, char *trouble)
{
    const char *kind = (const char *)spec->kind->data.scalar.value;
    const char *wrong = cua_kind_trouble(kind, spec->kind->data.scalar.length);
    char *made;

    if (wrong) {
        snprintf(trouble, CUA_SPEC_TROUBLE, "%s", wrong);
        return NULL;
    }
    made = spec->null                       ? replace_null(spec, hook)
           : cua_document_is_flow(spec->in) ? insert_flow(spec, hook)
                                            : insert_lines(spec, hook);
    snprintf(trouble, CUA_SPEC_TROUBLE, "%s",
             made ? "its YAML has a form into which cuarbiter cannot put the hook: write it anew "
                    "(nvidia-ctk cdi generate), or as JSON"
                  : strerror(ENOMEM));
    if (made && !has_ours(made)) {
        free(made);
        made = NULL;
    }
    return made;
}

char *cua_spec(const char *text, const char *hook, char trouble[static CUA_SPEC_TROUBLE])
{
    char *copy = strdup(text), *before = NULL, *made = NULL;
    struct spec spec;
    int ours = 0, did = 1;

    snprintf(trouble, CUA_SPEC_TROUBLE, "%s", strerror(ENOMEM));
    while (copy && did == 1) {
        /* spec.document refers to the text that was parsed. So parse `before`, which stays
         * unchanged when cut_ours changes `copy`. */
        free(before);
        before = strdup(copy);
        if (!before || !parse(&spec, before, trouble))
            break;
        did = cut_ours(&spec, copy);
        ours += did == 1;
        if (did < 0)
            snprintf(
                trouble, CUA_SPEC_TROUBLE,
                "the lines of cuarbiter's hook were edited, so cuarbiter cannot take them out: "
                "delete them by hand");
        else if (!did)
            made = !hook                             ? strdup(copy)
                   : ours == 1 && strstr(text, hook) ? strdup(text)
                                                     : insert(&spec, hook, trouble);
        cua_document_end(&spec.document);
    }
    free(before);
    free(copy);
    return made;
}

char *cua_spec_runtime(const char *text, const char *hook, char trouble[static CUA_SPEC_TROUBLE])
{
    struct cua_document document;
    char *made = NULL;

    if (!cua_document_read(&document, text, trouble, CUA_SPEC_TROUBLE))
        return NULL;
    yaml_node_t *root = cua_document_root(&document);
    if (!cua_document_is_flow(root) || !cua_document_member(&document, root, "ociVersion", NULL))
        snprintf(trouble, CUA_SPEC_TROUBLE, "not a valid OCI runtime configuration");
    else if (cua_document_member(&document, root, "hooks", NULL))
        snprintf(
            trouble, CUA_SPEC_TROUBLE,
            "it has the member hooks already: add by hand what print-oci without a file prints");
    else if (asprintf(&made, "{\n\"hooks\": {\"createContainer\": [{%s}]},%s", hook,
                      text + cua_document_begin(&document, root) + 1) < 0)
        made = NULL, snprintf(trouble, CUA_SPEC_TROUBLE, "%s", strerror(ENOMEM));
    cua_document_end(&document);
    return made;
}
