/* SPDX-License-Identifier: Apache-2.0 */
/* Adds cuarbiter's OCI hook (deploy/hook) to the text of a CDI specification, in YAML or JSON, or
 * removes the hook from it. What other tools wrote there stays unchanged, byte for byte, with one
 * exception: if containerEdits, or the member hooks in it, has the value null, the hook takes the
 * place of the null. */
#ifndef CUA_CDI_SPEC_H
#define CUA_CDI_SPEC_H

#include <stddef.h>

/* The size of the buffer `trouble`, which receives the reason of a failure. */
#define CUA_SPEC_TROUBLE 256

/* Changes the containerEdits of the specification `text` that apply to all of its devices; those of
 * a single device stay as they are. Removes all hooks of cuarbiter from them. Unless `hook` is
 * NULL, then adds `hook`, a JSON object on one line, as their first hook. If they already have
 * `hook`, and no other hook of cuarbiter, leaves it where it is. Returns the new text, to be freed.
 * NULL, with the reason in `trouble`, on failure, for example if engines could not load `text`. */
char *cua_spec(const char *text, const char *hook, char trouble[static CUA_SPEC_TROUBLE]);

/* Adds a createContainer hook to `text`, an OCI runtime configuration (config.json) that has no
 * hooks. `hook`: the members of the hook's JSON object, without braces. Returns the new text, to be
 * freed. NULL, with the reason in `trouble`, on failure, also if `text` has hooks. */
char *cua_spec_runtime(const char *text, const char *hook, char trouble[static CUA_SPEC_TROUBLE]);

#endif
