/* SPDX-License-Identifier: Apache-2.0 */
#include "command/trial.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trial/attempt.h"
#include "trial/child.h"
#include "trial/report.h"
#include "trial/trial.h"
#include "cli/colour.h"
#include "cuarbiter/names.h"
#include "cli/jsonout.h"
#include "base/oldstat.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "command/cuda_error.h"
#include "command/fact_words.h"
#include "base/version.h"
#include "machine/settings.h"
#include "command/helper/helper.h"
#include "cli/home.h"

enum {
    CUA_EXIT_OTHER_CODE = 1,
    CUA_EXIT_NO_ANSWER = 3,
};

struct arguments {
    const char *file;
    unsigned timeout;
    bool nvml, kernel, json;
    int helper; /* in the child of a trial: descriptor to write the result to; else -1 */
};

static const char *what(const struct cua_trial *trial)
{
    return trial->how == CUA_TRIAL_TIMEOUT ? "no answer in time"
           : trial->how != CUA_TRIAL_RAN   ? "could not be tried"
           : trial->code == 0              ? "initialises"
                                           : "does not initialise";
}

static int exit_code(const struct cua_trial *trial)
{
    if (trial->how == CUA_TRIAL_TIMEOUT)
        return CUA_EXIT_NO_ANSWER;
    return trial->how == CUA_TRIAL_RAN && trial->code == 0 ? 0 : CUA_EXIT_OTHER_CODE;
}

static void print_json(const struct cua_trial *trial, const char *file)
{

    cua_jsonout_open(NULL, '{');
    cua_jsonout_number("schema", 1);
    cua_jsonout_string("file", file);
    cua_jsonout_string("result", trial->how == CUA_TRIAL_RAN       ? "answered"
                                 : trial->how == CUA_TRIAL_TIMEOUT ? "timeout"
                                                                   : "broken");
    if (trial->code >= 0)
        cua_jsonout_number("code", trial->code);
    else
        cua_jsonout_null("code");
    cua_jsonout_text("name", trial->name);
    cua_jsonout_text("step", cua_trial_step_word(trial->step));
    if (trial->driver > 0)
        cua_jsonout_number("driver_version", trial->driver);
    else
        cua_jsonout_null("driver_version");
    if (trial->devices >= 0)
        cua_jsonout_number("devices", trial->devices);
    else
        cua_jsonout_null("devices");
    cua_jsonout_text("lowest_compute_capability", cua_dotted(trial->lowest_cc));
    cua_jsonout_bool("left_behind", trial->left_behind);
    cua_jsonout_text("trouble", trial->trouble);
    cua_jsonout_close('}');
}

static void print_text(const struct cua_trial *trial, const char *file)
{
    char cuda[12];

    printf("%s: %s%s%s", cua_shown(file), cua_colour(exit_code(trial) ? CUA_RED : CUA_GREEN),
           what(trial), cua_colour(CUA_PLAIN));
    if (trial->how == CUA_TRIAL_RAN) {
        const char *step = cua_trial_step_word(trial->step ? trial->step : CUA_STEP_INIT);
        printf(": %s = %d %s\n", step, trial->code, trial->name[0] ? trial->name : "(unknown)");
    } else {
        printf(": %s%s%s%s\n", cua_shown(trial->trouble), trial->step ? " (in " : "",
               cua_trial_step_word(trial->step), trial->step ? ")" : "");
    }
    if (trial->driver > 0)
        printf("  CUDA %s", cua_cuda_text((unsigned)trial->driver, cuda));
    if (trial->devices >= 0)
        printf("%s%d device%s", trial->driver > 0 ? ", " : "  ", trial->devices,
               trial->devices == 1 ? "" : "s");
    if (trial->lowest_cc)
        printf(", lowest compute capability %s", cua_dotted(trial->lowest_cc));
    if (trial->driver > 0 || trial->devices >= 0)
        putchar('\n');
    const struct cua_cuda_error *error =
        trial->how == CUA_TRIAL_RAN && trial->code ? cua_cuda_error_find(trial->code) : NULL;
    if (error && error->meaning[0])
        printf("  %s\n", error->meaning);
}

int cua_try_now(struct cua_trial *trial, const struct cua_settings *settings, const char *file,
                unsigned seconds)
{
    const struct cua_trial_request request = {.settings = settings};

    cua_trial_clear(trial);
    return cua_attempt(trial, NULL, &request, file, cua_child_now() + seconds * 1000LL);
}

static int try_file(const struct arguments *arguments)
{
    char file[PATH_MAX];
    struct cua_trial trial;
    struct stat st;
    const struct cua_settings settings = {.library_path = getenv("LD_LIBRARY_PATH"),
                                          .home = cua_home_folder()};

    if (!realpath(arguments->file, file)) {
        cua_complain(arguments->file, "%s", strerror(errno));
        return CUA_EXIT_USAGE;
    }
    if (cua_stat(file, &st) == 0 && !S_ISREG(st.st_mode)) {
        cua_complain(arguments->file, "%s",
                     S_ISDIR(st.st_mode) ? "a folder" : "not a regular file");
        return CUA_EXIT_OTHER_CODE;
    }
    int err = cua_try_now(&trial, &settings, file, arguments->timeout);
    if (err) {
        cua_complain(arguments->file, "cannot start a child process to try it: %s",
                     cua_trial_why_not(err));
        return CUA_EXIT_NO_ANSWER;
    }
    if (arguments->json)
        print_json(&trial, file);
    else
        print_text(&trial, file);
    return exit_code(&trial);
}

static int run(int argc, char **argv)
{
    struct arguments arguments = {.timeout = 10, .helper = -1};
    int code, option;

    while ((option = cua_option(&cua_verb_trial, argc, argv, false, &code)) != -1) {
        long number = optarg ? cua_option_number(optarg, 1, 600) : 0;
        if (option == CUA_OPTION_DONE)
            return code;
        if (number < 0)
            return cua_usage_value(&cua_verb_trial, optarg, "--timeout is a number from 1 to 600");
        if (option == 't')
            arguments.timeout = (unsigned)number;
        else if (option == 'n')
            arguments.nvml = true;
        else if (option == 'K')
            arguments.kernel = true;
        else if (option == 'j')
            arguments.json = true;
        else
            arguments.helper = (int)number;
    }
    if (argc - optind != 1)
        return cua_usage(&cua_verb_trial, "one file is needed");
    arguments.file = argv[optind];
    /* The child of a trial ends by _exit, because the driver may have registered functions with
     * atexit, and these may hang. */
    if (arguments.helper >= 0)
        _exit(cua_trial_helper(arguments.file, arguments.nvml, arguments.kernel, arguments.helper));
    return try_file(&arguments);
}

const struct cua_verb cua_verb_trial = {
    .name = "trial",
    .run = run,
};
