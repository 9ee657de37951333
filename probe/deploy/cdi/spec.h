/* SPDX-License-Identifier: Apache-2.0 */
/* Adds cuarbiter's hook to the text of a CDI specification, in YAML or JSON, or removes the hook
 * from it. What other tools wrote there stays unchanged, byte for byte, unless it is a null that
 * the hook replaces. */
#ifndef CUA_CDI_SPEC_H
#define CUA_CDI_SPEC_H

#include <stddef.h>

/* The size of the buffer `trouble`, which receives the reason of a failure. */
#define CUA_SPEC_TROUBLE 256

/* Removes all hooks of cuarbiter from `text`. Unless `hook` is NULL, then adds `hook`, a JSON
 * object on one line, as the first hook of the specification's own containerEdits, which apply to
 * all of its devices. If `text` already has `hook`, and no other hook of cuarbiter, leaves it where
 * it is. Returns the new text, to be freed. NULL, with the reason in `trouble`, on failure, for
 * example if engines could not load `text`. */
char *cua_spec(const char *text, const char *hook, char trouble[static CUA_SPEC_TROUBLE]);

/* Adds a createContainer hook to `text`, an OCI runtime configuration (config.json) that has no
 * hooks. `hook`: the members of the hook's JSON object, without braces. Returns the new text, to be
 * freed. NULL, with the reason in `trouble`, on failure, also if `text` has hooks. */
char *cua_spec_runtime(const char *text, const char *hook, char trouble[static CUA_SPEC_TROUBLE]);

#endif
