/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/hook/wrapper.h"

#include <limits.h>

#include "base/escape.h"

void cua_hook_print(FILE *out, const char *command, bool always)
{
    char script[2 * sizeof(CUA_HOOK_SCRIPT)], escaped[6 * PATH_MAX];

    cua_escape(script, sizeof(script), CUA_HOOK_SCRIPT, CUA_ESCAPE_JSON);
    cua_escape(escaped, sizeof(escaped), command, CUA_ESCAPE_JSON);
    fprintf(out,
            "\"path\": \"" CUA_HOOK_SHELL "\", \"args\": [\"sh\", \"-c\", \"%s\", " CUA_HOOK_NAME
            "\"%s\", \"hook\"%s], \"env\": [\"" CUA_HOOK_PATH "\"]",
            script, escaped, always ? ", \"--always\"" : "");
}
