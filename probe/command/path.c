/* SPDX-License-Identifier: Apache-2.0 */
#include "command/path.h"

#include <limits.h>
#include <stdio.h>

#include "cuarbiter/names.h"
#include "cli/home.h"
#include "cli/options.h"

static int run(int argc, char **argv)
{
    char shim[PATH_MAX];
    int code = CUA_EXIT_RUN, option;

    while ((option = cua_option(&cua_verb_path, argc, argv, true, &code)) != -1)
        if (option == CUA_OPTION_DONE)
            return code;
    if (optind < argc)
        return cua_usage_value(&cua_verb_path, argv[optind], "takes no argument");
    const char *why = cua_home_shim(shim);
    if (why) {
        cua_complain(shim, "%s", why);
        return CUA_EXIT_RUN;
    }
    puts(shim);
    return 0;
}

const struct cua_verb cua_verb_path = {
    .name = "path",
    .run = run,
};
