/* SPDX-License-Identifier: Apache-2.0 */
#include "command/explain.h"

#include <stdio.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "command/colour.h"
#include "command/cuda_help.h"
#include "command/doctor/error_scan.h"
#include "cuarbiter/names.h"
#include "command/cuda_errors.h"
#include "command/layout.h"
#include "command/options.h"
#include "command/verb.h"
#include "command/cuda_error.h"
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
    print_help(help[0]                             ? help
               : is_of_a_driver_that_works(reason) ? "Nothing: it works."
                                                   : "Nothing about this file alone; 'cuarbiter "
                                                     "status' tells what is taken instead.");
}

static const struct {
    int code;
    const char *name;
} errors[] = {
#define CUA_ROW(code, name, meaning) {code, name},
    CUA_CUDA_ERRORS(CUA_ROW)
#undef CUA_ROW
};

static const struct {
    int code;
    const char *name, *said, *help;
} helps[] = {
#define CUA_ROW(code, name, said, help) {code, name, said, help},
    CUA_CUDA_HELP(CUA_ROW)
#undef CUA_ROW
};

#define CUA_ERRORS (sizeof(errors) / sizeof(*errors))
#define CUA_HELPS  (sizeof(helps) / sizeof(*helps))

static void explain_number(int code)
{
    char number[16];
    const char *meaning = cua_cuda_error_meaning(code), *help = "Nothing about the driver.";

    snprintf(number, sizeof(number), "%d", code);
    print_title(number, cua_cuda_error_name(code));
    for (size_t i = 0; i < CUA_HELPS; i++)
        if (helps[i].code == code) {
            help = helps[i].help;
            printf("  %s%s%s\n", helps[i].name, helps[i].said[0] ? ": " : "", helps[i].said);
        }
    print_wrapped(meaning[0] ? meaning : "Nothing to do with which driver was loaded.");
    print_help(code ? help : "Nothing: it works.");
}

/* "app: cuInit: error 804": doctor reads such lines too. -1 unknown. */
static int find_in_line(const char *line)
{
    struct cua_spoken words = {0};

    cua_spoken_take(&words, line, strlen(line));
    cua_spoken_take(&words, "\n", 1);
    for (size_t i = 0; i < CUA_SPOKEN_COUNT; i++)
        if (words.said[i])
            return cua_spoken_code(i);
    return -1;
}

/* The number of what was said: a number, a name of the driver's or the runtime's, or a line that a
 * program printed with one of them or with the message. -1 unknown. */
static int find_error(const char *word)
{
    long number = cua_option_number(word, 0, 9999);

    for (size_t i = 0; i < CUA_ERRORS; i++)
        if (errors[i].code == number || strcasecmp(errors[i].name, word) == 0)
            return errors[i].code;
    for (size_t i = 0; i < CUA_HELPS; i++)
        if (strcasecmp(helps[i].name, word) == 0 ||
            (helps[i].said[0] && strcasestr(word, helps[i].said)))
            return helps[i].code;
    return find_in_line(word);
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
    for (size_t i = 0; i < CUA_ERRORS; i++)
        if (cua_cuda_error_meaning(errors[i].code)[0])
            printf("  %3d  %s\n", errors[i].code, errors[i].name);
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
        return cua_usage(&cua_verb_explain, "a code is wanted, or --list alone");
    for (int i = optind; i < argc; i++) {
        enum cua_reason reason = find_reason(argv[i]);
        int number = find_error(argv[i]);
        if (i > optind)
            putchar('\n');
        if (reason != CUA_REASON_COUNT) {
            explain_reason(reason);
        } else if (number >= 0) {
            explain_number(number);
        } else {
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
    .run = run,
};
