/* SPDX-License-Identifier: Apache-2.0 */
/* Adds cuarbiter's hook to the text of a CDI specification, in YAML or JSON, or removes it.
 * Everything that others wrote stays unchanged, byte for byte. */
#ifndef CUA_CDI_SPEC_H
#define CUA_CDI_SPEC_H

#include <stddef.h>

/* The size of `trouble`, which receives a reason. */
#define CUA_SPEC_TROUBLE 256

/* Removes all hooks of cuarbiter from `text`. Unless `hook` is NULL, then adds `hook`, a JSON
 * object on one line, as the first hook in the containerEdits for all devices. Returns the new
 * text, to be freed. NULL, with the reason in `trouble`, on failure, for example if engines could
 * not load `text`. */
char *cua_spec(const char *text, const char *hook, char trouble[static CUA_SPEC_TROUBLE]);

/* Adds `hook`, the members of a hook, as createContainer hook to `text`, a runtime's configuration
 * in JSON that has no hooks. Returns the new text, to be freed; NULL, with the reason in
 * `trouble`. */
char *cua_spec_runtime(const char *text, const char *hook, char trouble[static CUA_SPEC_TROUBLE]);

#endif
