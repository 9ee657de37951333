/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/colour.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_colourful(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

    return !(no && no[0]) && term && term[0] && strcmp(term, "dumb") != 0 && isatty(STDOUT_FILENO);
}

const char *cua_colour(enum cua_colour colour)
{
    static const char *const codes[] = {"\033[0m",  "\033[1m",  "\033[2m",
                                        "\033[32m", "\033[33m", "\033[31m"};
    static int known = -1;

    if (known < 0)
        known = is_colourful();
    return known ? codes[colour] : "";
}
