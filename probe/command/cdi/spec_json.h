/* SPDX-License-Identifier: Apache-2.0 */
/* Our hook in the text of a CDI specification in JSON. All that others wrote stays byte for byte.
 */
#ifndef CUA_SPEC_JSON_H
#define CUA_SPEC_JSON_H

#include <stdbool.h>
#include <stddef.h>

/* Whether these bytes are one hook, and it is ours. */
bool cua_spec_is_ours(const char *object, size_t length);

/* `text` with `hook`, a JSON object on one line, first in the containerEdits of all devices, in
 * place of any of our own; NULL: without any. Returns what is to be freed; NULL and why in
 * *trouble for what does not load as a specification. */
char *cua_spec_json(const char *text, const char *hook, const char **trouble);

/* `text`, a runtime's configuration without hooks, with the members of `hook` as its
 * createContainer hook. As above. */
char *cua_runtime_json(const char *text, const char *hook, const char **trouble);

#endif
