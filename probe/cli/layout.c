/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/layout.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/colour.h"
#include "cli/verb.h"

void cua_layout_title(const char *title)
{
    printf("%s%-*s%s", cua_colour(CUA_BOLD), CUA_LAYOUT_INDENT, title, cua_colour(CUA_PLAIN));
}

int cua_layout_columns(FILE *out)
{
    struct winsize size;

    return isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void cua_layout_wrap_to(FILE *out, const char *text, int indent)
{
    int column = indent, width = cua_layout_columns(out);

    if (width < CUA_LAYOUT_WIDTH / 2 || width > CUA_LAYOUT_WIDTH)
        width = CUA_LAYOUT_WIDTH;

    text = cua_shown(text);
    text += strspn(text, " ");
    while (*text) {
        int n = (int)strcspn(text, " ");
        if (column > indent && column + 1 + n > width) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            putc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", n, text);
        column += n;
        text += n;
        text += strspn(text, " ");
    }
    putc('\n', out);
}

void cua_layout_wrap(const char *text, int indent)
{
    cua_layout_wrap_to(stdout, text, indent);
}

void cua_layout_text(const char *text)
{
    if (!text[0])
        return;
    printf("%*s", CUA_LAYOUT_INDENT, "");
    cua_layout_wrap(text, CUA_LAYOUT_INDENT);
}
