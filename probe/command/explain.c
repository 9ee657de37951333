/* SPDX-License-Identifier: Apache-2.0 */
#include "command/explain.h"

#include <stdio.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "cli/colour.h"
#include "cli/layout.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "command/cuda_error.h"
#include "command/driver/suit.h"
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

static void print_help(const char *help)
{
    fputs("\n  What to do:\n", stdout);
    print_wrapped(help);
}

static bool is_of_a_driver_that_works(enum cua_reason reason)
{
#define CUA_ROW(name, code, meaning, help) case CUA_REASON_##name:
    switch ((int)reason) {
        CUA_REASONS_WORKS(CUA_ROW)
        return true;
    }
#undef CUA_ROW
    return false;
}

static void explain_reason(enum cua_reason reason)
{
    const char *help = cua_reason_help(reason);

    print_title(cua_reason_code(reason), "");
    print_wrapped(cua_reason_meaning(reason));
    print_help(
        help[0] ? help
        : is_of_a_driver_that_works(reason)
            ? "Nothing: it works."
            : "Nothing for this file itself; 'cuarbiter status' shows which file programs get.");
}

static void explain_error(const struct cua_cuda_error *error)
{
    const char *name = cua_cuda_error_name(error->code);
    char number[16], text[512];

    snprintf(number, sizeof(number), "%d", error->code);
    print_title(number, name);
    if (error->runtime[0] && error->runtime != name)
        printf("  %s%s%s\n", error->runtime, error->message[0] ? ": " : "", error->message);
    else if (error->message[0])
        printf("  %s\n", error->message);
    print_wrapped(error->meaning[0]
                      ? error->meaning
                      : "This error is not known to depend on which driver is loaded.");
    print_help(error->help[0] ? error->help : "Look at the program first, not at the driver.");
    if (error->code == 35                          ? cua_suit_after_35(text, sizeof text)
        : error->code == 803 || error->code == 804 ? cua_suit_after_804(text, sizeof text)
                                                   : false) {
        puts("\n  On this machine:");
        print_wrapped(text);
    }
}

/* Finds a CUDA error by its number, or by a line that a program printed. NULL if there is none. */
static const struct cua_cuda_error *find_error(const char *word)
{
    long number = cua_option_number(word, 0, 9999);

    return number >= 0 ? cua_cuda_error_find((int)number) : cua_cuda_error_in(word, false);
}

static enum cua_reason find_reason(const char *word)
{
    for (int reason = 0; reason < CUA_REASON_COUNT; reason++)
        if (strcasecmp(cua_reason_code((enum cua_reason)reason), word) == 0)
            return (enum cua_reason)reason;
    return CUA_REASON_COUNT;
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
    for (size_t i = 0; i < cua_cuda_error_count; i++)
        if (cua_cuda_errors[i].meaning[0])
            printf("  %3d  %s\n", cua_cuda_errors[i].code,
                   cua_cuda_error_name(cua_cuda_errors[i].code));
    return 0;
}

static int run(int argc, char **argv)
{
    int code = 0, option;
    bool all = false;

    while ((option = cua_option(&cua_verb_explain, argc, argv, false, &code)) != -1) {
        if (option == CUA_OPTION_DONE)
            return code;
        all = true;
    }
    if (all && optind == argc)
        return list();
    if (all || optind == argc)
        return cua_usage(&cua_verb_explain, "name a code, or use --list alone");
    for (int i = optind; i < argc; i++) {
        enum cua_reason reason = find_reason(argv[i]);
        const struct cua_cuda_error *error = find_error(argv[i]);
        if (i > optind)
            putchar('\n');
        if (reason != CUA_REASON_COUNT) {
            explain_reason(reason);
        } else if (error) {
            explain_error(error);
        } else {
            cua_complain(
                argv[i],
                "neither a reason code nor a CUDA error that is known; 'cuarbiter explain --list' "
                "shows the reason codes, and the errors that it can explain");
            code = 1;
        }
    }
    return code;
}

const struct cua_verb cua_verb_explain = {
    .name = "explain",
    .run = run,
};
