/* SPDX-License-Identifier: Apache-2.0 */
/* Adds cuarbiter's OCI hook (deploy/hook) to the text of a CDI specification, in YAML or JSON, or
 * removes the hook from it. What other tools wrote stays unchanged, byte for byte, with two
 * exceptions:
 * - When the hook is added, a null as the value of containerEdits, or of its member hooks, is
 *   replaced by a value that contains the hook.
 * - When the hook is removed from a mapping in braces, the member hooks is removed with it if it
 *   contains nothing else, and then containerEdits likewise, even if another tool wrote them. */
#ifndef CUA_CDI_SPEC_H
#define CUA_CDI_SPEC_H

#include <stddef.h>

/* The size of the buffer `trouble`, which receives the reason of a failure. */
#define CUA_SPEC_TROUBLE 256

/* Changes the top-level containerEdits of the specification `text`, which apply to all of its
 * devices. Removes all hooks of cuarbiter from them, then adds `hook`, a JSON object on one line,
 * as their first hook. If `hook` is NULL, adds nothing. If `hook` is already there, and is
 * cuarbiter's only hook there, changes nothing. Returns the new text, which the caller frees. On
 * failure, for example if engines could not load `text`, returns NULL, with the reason in
 * `trouble`. */
char *cua_spec(const char *text, const char *hook, char trouble[static CUA_SPEC_TROUBLE]);

/* Adds a createContainer hook to `text`, an OCI runtime configuration (config.json). `hook`: the
 * members of the hook's JSON object, without braces. Returns the new text, which the caller frees.
 * On failure, also if `text` already has hooks, returns NULL, with the reason in `trouble`. */
char *cua_spec_runtime(const char *text, const char *hook, char trouble[static CUA_SPEC_TROUBLE]);

#endif
