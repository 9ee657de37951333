/* SPDX-License-Identifier: Apache-2.0 */
/* Puts our hook into the text of a CDI specification in JSON, or takes it out. Everything that
 * others wrote stays unchanged, byte for byte. */
#ifndef CUA_SPEC_JSON_H
#define CUA_SPEC_JSON_H

#include <stdbool.h>
#include <stddef.h>

/* Whether these bytes are exactly one hook, and that hook is ours. */
bool cua_spec_is_ours(const char *object, size_t length);

/* Returns `text` without any hook of ours and, unless `hook` is NULL, with `hook`, a JSON object on
 * one line, as the first hook in the containerEdits for all devices. To be freed. NULL, with the
 * reason in *trouble; one reason is that engines could not load `text`. */
char *cua_spec_json(const char *text, const char *hook, const char **trouble);

/* Returns `text`, a runtime's configuration without hooks, with the members of `hook` as its
 * createContainer hook. To be freed; NULL, with the reason in *trouble. */
char *cua_runtime_json(const char *text, const char *hook, const char **trouble);

#endif
