/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs while building, on the machine that builds: copies a page and puts the verbs, reason codes
 * and CUDA errors that the program is made of in the place of lines like @works@, so that page and
 * program cannot differ.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cuarbiter/reasons.h"
#include "command/cuda_error.h"
#include "cli/manual.h"

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

static void print_errors(void)
{
    for (size_t i = 0; i < cua_cuda_error_count; i++) {
        const struct cua_cuda_error *error = &cua_cuda_errors[i];
        if (!error->meaning[0])
            continue;
        printf(".It %d\n.Dv %s .\n", error->code,
               error->driver[0] ? error->driver : error->runtime);
        print_text(error->meaning);
    }
}

#define CUA_REASON_ROW(name, code, meaning, help) print_reason(code, meaning, help);

static void print_synopsis(const struct cua_manual *manual)
{
    const char *text = manual->synopsis;

    do {
        size_t n = strcspn(text, "\n");
        printf(".Nm\n.Cm %s\n", manual->name);
        if (n)
            printf(".No \\&%.*s\n", (int)n, text);
        text += n;
    } while (*text++);
}

/* Paragraphs; one that begins with a blank is an example. */
static void print_about(const char *text)
{
    char line[2048];
    const char *before = "";

    while (*text) {
        size_t n = strcspn(text, "\n");
        snprintf(line, sizeof(line), "%.*s", (int)n, text);
        fputs(line[0] == ' ' ? "" : before, stdout);
        if (line[0] == ' ')
            printf(".Dl %s\n", line + strspn(line, " "));
        else
            print_text(line);
        before = ".Pp\n";
        text += n + (text[n] == '\n');
    }
}

static void print_options(const struct cua_manual_option *row)
{
    int open = 0;

    for (; row->name || row->help; row++) {
        if (!row->help)
            continue;
        if (!row->name) {
            fputs(open ? ".El\n.Pp\n" : ".Pp\n", stdout);
            print_text(row->help);
        }
        if (!row->name || !open)
            puts(".Bl -tag -width Ds");
        open = 1;
        if (!row->name)
            continue;
        printf(".It Fl Fl %s", row->name);
        printf(row->value ? " Ar %s\n" : "\n", row->value);
        print_text(row->help);
    }
    if (open)
        puts(".El");
}

static void print_verbs(void)
{
    for (size_t i = 0; i < cua_manual_count; i++) {
        printf(".Ss %s\n", cua_manual[i].name);
        print_about(cua_manual[i].about);
        print_options(cua_manual[i].options);
    }
}

static void print_exits(void)
{
    for (size_t i = 0; i < cua_manual_count; i++) {
        printf(".It Cm %s\n", cua_manual[i].name);
        print_text(cua_manual[i].exit);
    }
}

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
        print_errors();
    } else if (strcmp(line, "@synopsis@\n") == 0) {
        for (size_t i = 0; i < cua_manual_count; i++)
            print_synopsis(&cua_manual[i]);
    } else if (strcmp(line, "@verbs@\n") == 0) {
        print_verbs();
    } else if (strcmp(line, "@exits@\n") == 0) {
        print_exits();
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
