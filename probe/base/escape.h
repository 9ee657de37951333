/* SPDX-License-Identifier: Apache-2.0 */
/* Escapes text from outside (names, values, folders, a driver's messages) for a terminal, a log or
 * JSON. Escaped text cannot end a line, move the cursor or leave a string, and it is valid
 * UTF-8. */
#ifndef CUA_ESCAPE_H
#define CUA_ESCAPE_H

#include <stddef.h>

enum cua_escape {
    CUA_ESCAPE_TEXT, /* "\x1b" for each byte that is not printable UTF-8 */
    CUA_ESCAPE_JSON, /* for use between quotes: "\u001b"; U+FFFD for bytes that are not UTF-8 */
};

/* `out` receives at most size - 1 bytes and a NUL. A character that does not fit completely is left
 * out. Returns the number of bytes written. */
size_t cua_escape(char *out, size_t size, const char *text, enum cua_escape how);

#endif
