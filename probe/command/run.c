/* SPDX-License-Identifier: Apache-2.0 */
#include "command/run.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuarbiter/names.h"
#include "cli/options.h"
#include "base/policy.h"
#include "cli/verb.h"
#include "cli/home.h"

enum {
    CUA_EXIT_RUN_REFUSED = CUA_EXIT_RUN + 1,
    CUA_EXIT_RUN_NOT_FOUND = CUA_EXIT_RUN + 2,
};

/* Puts the shim first in LD_PRELOAD, unless it is first already, so that its dlopen comes before
 * that of other libraries. Other entries stay. 0, or -1 with errno set. */
static int set_preload(const char *shim)
{
    const char *old = getenv("LD_PRELOAD");
    char *value;

    if (!old || !old[0])
        return setenv("LD_PRELOAD", shim, 1);
    size_t length = strlen(shim);
    if (strncmp(old, shim, length) == 0 && (!old[length] || strchr(" :", old[length])))
        return 0;
    if (asprintf(&value, "%s:%s", shim, old) < 0)
        return -1;
    int result = setenv("LD_PRELOAD", value, 1);
    free(value);
    return result;
}

static int set_file(const char *file)
{
    char real[PATH_MAX];

    if (!realpath(file, real)) {
        cua_complain(file, "%s", strerror(errno));
        return -1;
    }
    return setenv(CUA_ENV_LIBCUDA, real, 1);
}

static bool is_level(const char *word)
{
    return strcmp(word, "error") == 0 || strcmp(word, "warn") == 0 || strcmp(word, "info") == 0 ||
           strcmp(word, "debug") == 0;
}

/* Sets the environment variables that the options stand for. Returns the exit code, or -1 if the
 * command is to be run. */
static int take_options(int argc, char **argv)
{
    int code = CUA_EXIT_RUN, option;

    while ((option = cua_option(&cua_verb_run, argc, argv, true, &code)) != -1) {
        if (option == CUA_OPTION_DONE)
            return code;
        if (option == 'y' && cua_policy_find(optarg) < 0)
            return cua_usage_value(&cua_verb_run, optarg, "--policy is " CUA_POLICY_WORDS);
        if (option == 'L' && !is_level(optarg))
            return cua_usage_value(&cua_verb_run, optarg, "--log is error, warn, info or debug");
        if (option == 'l' && set_file(optarg))
            return CUA_EXIT_USAGE;
        if (option != 'l' && setenv(option == 'y' ? CUA_ENV_POLICY : CUA_ENV_LOG, optarg, 1))
            return CUA_EXIT_RUN;
    }
    return optind == argc ? cua_usage(&cua_verb_run, "a command is needed") : -1;
}

static int run(int argc, char **argv)
{
    char shim[PATH_MAX];
    int code = take_options(argc, argv);

    if (code >= 0)
        return code;
    const char *why = cua_home_shim(shim);
    if (why) {
        cua_complain(shim, "%s", why);
        return CUA_EXIT_RUN;
    }
    if (set_preload(shim) != 0) {
        cua_complain("LD_PRELOAD", "%s", strerror(errno));
        return CUA_EXIT_RUN;
    }
    execvp(argv[optind], argv + optind);
    code = errno == ENOENT ? CUA_EXIT_RUN_NOT_FOUND : CUA_EXIT_RUN_REFUSED;
    cua_complain(argv[optind], "%s", strerror(errno));
    return code;
}

const struct cua_verb cua_verb_run = {
    .name = "run",
    .run = run,
};
