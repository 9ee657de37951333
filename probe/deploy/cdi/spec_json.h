/* SPDX-License-Identifier: Apache-2.0 */
/* Edits our hook in the text of a CDI specification in JSON. Everything that others wrote stays
 * unchanged, byte for byte. */
#ifndef CUA_SPEC_JSON_H
#define CUA_SPEC_JSON_H

#include <stdbool.h>
#include <stddef.h>

/* Whether these bytes are exactly one hook, and it is ours. */
bool cua_spec_is_ours(const char *object, size_t length);

/* Returns `text` with `hook`, a JSON object on one line, as the first hook in the containerEdits
 * for all devices; it replaces any hook of ours. `hook` NULL: only removes ours. The result must be
 * freed. NULL, with the reason in *trouble, if `text` does not load as a specification. */
char *cua_spec_json(const char *text, const char *hook, const char **trouble);

/* Returns `text`, a runtime's configuration without hooks, with the members of `hook` as its
 * createContainer hook. The result is as above. */
char *cua_runtime_json(const char *text, const char *hook, const char **trouble);

#endif
