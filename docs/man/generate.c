/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs while building, on the machine that builds: copies a page and puts the reason codes and CUDA
 * errors of the headers in the place of lines like @works@, so that page and program cannot differ.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cuarbiter/reasons.h"
#include "base/cuda_errors.h"

/* A sentence a line, and nothing that mdoc would take for its own. */
static void print_text(const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", stdout);
    for (; *text; text++)
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == ' ' && text[-1] == '.' && isupper(text[1]))
            putchar('\n');
        else
            putchar(*text);
    putchar('\n');
}

static void print_reason(const char *code, const char *meaning, const char *help)
{
    printf(".It Cm %s\n", code);
    print_text(meaning);
    if (help[0])
        print_text(help);
}

static void print_error(int code, const char *name, const char *meaning)
{
    if (!meaning[0])
        return;
    printf(".It %d\n.Dv %s .\n", code, name);
    print_text(meaning);
}

#define CUA_REASON_ROW(name, code, meaning, help) print_reason(code, meaning, help);
#define CUA_ERROR_ROW(code, name, meaning)        print_error(code, name, meaning);

/* Whether the line stands for a list. */
static int print_list(const char *line)
{
    if (strcmp(line, "@works@\n") == 0) {
        CUA_REASONS_WORKS(CUA_REASON_ROW)
    } else if (strcmp(line, "@fails@\n") == 0) {
        CUA_REASONS_FAILS(CUA_REASON_ROW)
    } else if (strcmp(line, "@candidates@\n") == 0) {
        CUA_REASONS_CANDIDATE(CUA_REASON_ROW)
    } else if (strcmp(line, "@errors@\n") == 0) {
        CUA_CUDA_ERRORS(CUA_ERROR_ROW)
    } else {
        return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    char line[4096];
    FILE *page = argc == 2 ? fopen(argv[1], "r") : NULL;

    if (!page) {
        fprintf(stderr, "generate: %s: cannot be read\n",
                argc == 2 ? argv[1] : "one page is wanted");
        return 1;
    }
    while (fgets(line, sizeof(line), page))
        if (!print_list(line))
            fputs(line, stdout);
    fclose(page);
    return fflush(stdout) || ferror(stdout);
}
