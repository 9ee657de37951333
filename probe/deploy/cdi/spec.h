/* SPDX-License-Identifier: Apache-2.0 */
/* Puts our hook into the text of a CDI specification, in YAML or JSON, or takes it out. Everything
 * that others wrote stays unchanged, byte for byte. */
#ifndef CUA_CDI_SPEC_H
#define CUA_CDI_SPEC_H

#include <stddef.h>

/* Room for a reason. */
#define CUA_SPEC_TROUBLE 256

/* Returns `text` without any hook of ours and, unless `hook` is NULL, with `hook`, a JSON object on
 * one line, as the first hook in the containerEdits for all devices. To be freed. NULL, with the
 * reason in `trouble`; one reason is that engines could not load `text`. */
char *cua_spec(const char *text, const char *hook, char trouble[static CUA_SPEC_TROUBLE]);

/* Returns `text`, a runtime's configuration in JSON without hooks, with the members of `hook` as
 * its createContainer hook. To be freed; NULL, with the reason in `trouble`. */
char *cua_spec_runtime(const char *text, const char *hook, char trouble[static CUA_SPEC_TROUBLE]);

#endif
