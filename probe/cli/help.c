/* SPDX-License-Identifier: Apache-2.0 */
/* Prints --help from the texts of manual.c. */
#include "cli/help.h"

#include <stdbool.h>
#include <string.h>

#include "cli/layout.h"

/* Writes "--name VALUE", or "--name" if the option has no value. Returns the length, as snprintf
 * does. */
static int print_option(char *out, size_t size, const struct cua_manual_option *row)
{
    return snprintf(out, size, "--%s%s%s", row->name, row->value ? " " : "",
                    row->value ? row->value : "");
}

void cua_help(FILE *to)
{
    fputs("Usage: cuarbiter VERB [OPTION]...\n"
          "\n"
          "Shows and decides which libcuda a process gets, and why.\n"
          "\n",
          to);
    for (size_t i = 0; i < cua_manual_count; i++)
        fprintf(to, "  %-11s %s\n", cua_manual[i].name, cua_manual[i].summary);
    fputs("\n"
          "'cuarbiter VERB --help' describes one verb; --version prints the version and the date "
          "of the data.\n"
          "Manual: cuarbiter(1), cuarbiter(7).\n",
          to);
}

/* Prints a text of manual.c, with an empty line before each paragraph. Paragraphs are wrapped; one
 * that begins with a blank is an example, and is printed unchanged. */
static void print_text(const char *text)
{
    char line[2048];

    while (*text) {
        size_t n = strcspn(text, "\n");
        snprintf(line, sizeof(line), "%.*s", (int)n, text);
        putchar('\n');
        if (line[0] == ' ')
            puts(line);
        else
            cua_layout_wrap(line, 0);
        text += n + (text[n] == '\n');
    }
}

static void print_synopsis(const struct cua_manual *manual)
{
    const char *text = manual->synopsis, *head = "Usage:";

    do {
        size_t n = strcspn(text, "\n");
        printf("%s cuarbiter %s%s%.*s\n", head, manual->name, n ? " " : "", (int)n, text);
        head = "      ";
        text += n;
    } while (*text++);
}

static void print_options(const struct cua_manual *manual)
{
    static const struct cua_manual_option help = {'h', "help", NULL, "print this text"};
    char text[64];
    int width = print_option(text, sizeof(text), &help);

    for (const struct cua_manual_option *row = manual->options; row->name || row->help; row++) {
        int mine = row->name && row->help ? print_option(text, sizeof(text), row) : 0;
        width = mine > width ? mine : width;
    }
    putchar('\n');
    for (const struct cua_manual_option *row = manual->options; row; row++) {
        bool last = !row->name && !row->help;
        const struct cua_manual_option *shown = last ? &help : row;
        if (!shown->name) {
            printf("\n%s\n", shown->help);
        } else if (shown->help) {
            print_option(text, sizeof(text), shown);
            printf("  %-*s  ", width, text);
            cua_layout_wrap(shown->help, width + 4);
        }
        if (last)
            break;
    }
}

void cua_help_verb(const struct cua_manual *manual)
{
    char exit_code[1024];

    print_synopsis(manual);
    print_text(manual->about);
    print_options(manual);
    snprintf(exit_code, sizeof(exit_code), "Exit code: %s", manual->exit);
    print_text(exit_code);
}
