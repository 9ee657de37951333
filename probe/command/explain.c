/* SPDX-License-Identifier: Apache-2.0 */
#include "command/explain.h"

#include <stdio.h>
#include <string.h>

#include "command/colour.h"
#include "cuarbiter/names.h"
#include "base/cuda_errors.h"
#include "command/layout.h"
#include "command/options.h"
#include "command/verb.h"
#include "base/cuda_error.h"
#include "base/reasons.h"

static void print_wrapped(const char *text)
{
    fputs("  ", stdout);
    cua_layout_wrap(text, 2);
}

static void print_title(const char *title, const char *more)
{
    printf("%s%s%s%s%s\n", cua_colour(CUA_BOLD), title, cua_colour(CUA_PLAIN), more[0] ? " " : "",
           more);
}

static void explain_reason(enum cua_reason reason)
{
    const char *help = cua_reason_help(reason);

    print_title(cua_reason_code(reason), "");
    print_wrapped(cua_reason_meaning(reason));
    if (help[0]) {
        fputs("\n  What to do:\n", stdout);
        print_wrapped(help);
    }
}

static void explain_number(int code)
{
    char title[16];
    const char *meaning = cua_cuda_error_meaning(code);

    snprintf(title, sizeof(title), "%d", code);
    print_title(title, cua_cuda_error_name(code));
    print_wrapped(meaning[0] ? meaning : "Nothing to do with which driver was loaded.");
}

static const struct {
    int code;
    const char *name;
} errors[] = {
#define CUA_ROW(code, name, meaning) {code, name},
    CUA_CUDA_ERRORS(CUA_ROW)
#undef CUA_ROW
};

#define CUA_ERRORS (sizeof(errors) / sizeof(*errors))

static bool explain_error(const char *word)
{
    long number = cua_option_number(word, 0, 9999);

    for (size_t i = 0; i < CUA_ERRORS; i++)
        if (errors[i].code == number || strcmp(errors[i].name, word) == 0) {
            explain_number(errors[i].code);
            return true;
        }
    return false;
}

static int list(void)
{
    print_title("Reason codes", "");
    for (int reason = 0; reason < CUA_REASON_COUNT; reason++) {
        printf("  %-21s ", cua_reason_code((enum cua_reason)reason));
        cua_layout_wrap(cua_reason_meaning((enum cua_reason)reason), 24);
    }
    putchar('\n');
    print_title("CUDA errors", "");
    for (size_t i = 0; i < CUA_ERRORS; i++)
        if (cua_cuda_error_meaning(errors[i].code)[0])
            printf("  %3d  %s\n", errors[i].code, errors[i].name);
    return 0;
}

static const char usage[] =
    "Usage: cuarbiter explain CODE...\n"
    "       cuarbiter explain --list\n"
    "\n"
    "What a reason code of 'cuarbiter status' or of the log means (newer-brand), or a CUDA error,\n"
    "by number (803) or name (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH), and what to do about it.\n"
    "\n"
    "  --list  all of them\n"
    "  --help  this text\n"
    "\n"
    "Exit code: 0, 1 where a code is not known, 2 usage.\n";

static int run(int argc, char **argv)
{
    static const struct option options[] = {{"list", no_argument, NULL, 'l'}, CUA_OPTION_HELP};
    int code = 0, option;
    bool all = false;

    while ((option = cua_option(&cua_verb_explain, argc, argv, options, false, &code)) != -1) {
        if (option == CUA_OPTION_DONE)
            return code;
        all = true;
    }
    if (all && optind == argc)
        return list();
    if (all || optind == argc)
        return cua_usage(&cua_verb_explain, "a code is wanted, or --list alone");
    for (int i = optind; i < argc; i++) {
        enum cua_reason reason = cua_reason_find(argv[i]);
        if (i > optind)
            putchar('\n');
        if (reason != CUA_REASON_COUNT) {
            explain_reason(reason);
        } else if (!explain_error(argv[i])) {
            cua_complain(
                argv[i],
                "neither a reason code nor a CUDA error; 'cuarbiter explain --list' has all");
            code = 1;
        }
    }
    return code;
}

const struct cua_verb cua_verb_explain = {
    .name = "explain",
    .summary = "what a reason code or a CUDA error means",
    .usage = usage,
    .run = run,
};
