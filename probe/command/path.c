/* SPDX-License-Identifier: Apache-2.0 */
#include "command/path.h"

#include <limits.h>
#include <stdio.h>

#include "cuarbiter/names.h"
#include "command/home.h"
#include "command/options.h"

static const char usage[] =
    "Usage: cuarbiter path\n"
    "\n"
    "Prints the path of the shim, for LD_PRELOAD:\n"
    "\n"
    "  LD_PRELOAD=$(cuarbiter path) python train.py\n"
    "\n"
    "  --help           this text\n"
    "\n"
    "Exit code: 0; 2 usage, 125 where the shim cannot stand in LD_PRELOAD.\n";

static int run(int argc, char **argv)
{
    static const struct option options[] = {CUA_OPTION_HELP};
    char shim[PATH_MAX];
    int code = CUA_EXIT_RUN, option;

    while ((option = cua_option(&cua_verb_path, argc, argv, options, true, &code)) != -1)
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
    .summary = "the shim's path, for LD_PRELOAD",
    .usage = usage,
    .run = run,
};
