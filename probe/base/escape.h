/* SPDX-License-Identifier: Apache-2.0 */
/* Escapes text that comes from outside (names, values, folders, a driver's messages) for a
 * terminal, a log or JSON. Escaped text is valid UTF-8; it cannot end a line, move the cursor or
 * end a JSON string. */
#ifndef CUA_ESCAPE_H
#define CUA_ESCAPE_H

#include <stddef.h>

enum cua_escape {
    CUA_ESCAPE_TEXT, /* "\x1b" for each byte that is not printable UTF-8 */
    CUA_ESCAPE_JSON, /* for use between quotes: "\u001b"; bytes that are not UTF-8 become U+FFFD */
};

/* `out` receives at most size - 1 bytes and a NUL. A character that does not fit completely is left
 * out. Returns the number of bytes written. */
size_t cua_escape(char *out, size_t size, const char *text, enum cua_escape how);

#endif
