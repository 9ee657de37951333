/* SPDX-License-Identifier: Apache-2.0 */
/* Text from outside, as it is printed: UTF-8 without control characters, whatever it was. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* A check of its own: lengths by the first byte, no overlong forms, no surrogates, none of C0 and
 * C1, none of the characters that turn a line around or end one. */
static int is_plain(const unsigned char *at)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t c;
    int length, i;

    while (*at) {
        length = *at < 0x80 ? 1 : *at < 0xc0 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;
        if (!length || *at > 0xf7)
            return 0;
        c = length == 1 ? *at : *at & (0x7fu >> length);
        for (i = 1; i < length; i++) {
            if ((at[i] & 0xc0) != 0x80)
                return 0;
            c = c << 6 | (at[i] & 0x3f);
        }
        if (c < least[length] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) || c < 0x20 ||
            (c >= 0x7f && c < 0xa0) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069))
            return 0;
        at += length;
    }
    return 1;
}

/* JSON's own: no quote, and no backslash but before what may stand behind one. */
static int is_string(const char *at)
{
    for (; *at; at++) {
        if (*at == '"')
            return 0;
        if (*at == '\\' && (!*++at || !strchr("\"\\/bfnrtu", *at)))
            return 0;
    }
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = malloc(size + 1), *out = malloc(6 * size + 1);
    size_t room = 6 * size + 1;

    memcpy(text, bytes, size);
    text[size] = '\0';
    for (int i = 0; i < 2; i++) {
        size_t length = cua_escape(out, room, text, CUA_ESCAPE_TEXT);
        if (length != strlen(out) || !is_plain((unsigned char *)out))
            abort();
        length = cua_escape(out, room, text, CUA_ESCAPE_JSON);
        if (length != strlen(out) || !is_plain((unsigned char *)out) || !is_string(out))
            abort();
        /* Where it does not fit, nothing is cut in two. */
        room = size / 2 + 1;
    }
    free(out);
    free(text);
    return 0;
}
