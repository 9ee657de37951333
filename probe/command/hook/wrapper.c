/* SPDX-License-Identifier: Apache-2.0 */
#include "command/hook/wrapper.h"

#include <limits.h>

#include "base/escape.h"

const char *cua_hook_script(void)
{
    static char script[2 * sizeof(CUA_HOOK_SCRIPT)];

    cua_escape(script, sizeof(script), CUA_HOOK_SCRIPT, CUA_ESCAPE_JSON);
    return script;
}

void cua_hook_print(FILE *out, const char *command, bool always)
{
    char escaped[6 * PATH_MAX];

    cua_escape(escaped, sizeof(escaped), command, CUA_ESCAPE_JSON);
    fprintf(out,
            "\"path\": \"" CUA_HOOK_SHELL "\", \"args\": [\"sh\", \"-c\", \"%s\", \"cuarbiter\", "
            "\"%s\", \"hook\"%s], \"env\": [\"" CUA_HOOK_PATH "\"]",
            cua_hook_script(), escaped, always ? ", \"--always\"" : "");
}
