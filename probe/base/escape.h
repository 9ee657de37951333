/* SPDX-License-Identifier: Apache-2.0 */
/* Escapes text that comes from outside (names, values, folders, a driver's messages) for a
 * terminal, a log or JSON. Escaped text is valid UTF-8, and cannot end a line or move the cursor.
 * Text escaped for JSON cannot end a JSON string either. */
#ifndef CUA_ESCAPE_H
#define CUA_ESCAPE_H

#include <stddef.h>

enum cua_escape {
    /* Each byte of what is not printable UTF-8 becomes hexadecimal, such as "\x1b". */
    CUA_ESCAPE_TEXT,
    /* For use between quotes: '"', '\' and control characters are escaped ("\u001b"); each byte
     * that is not UTF-8 becomes U+FFFD. */
    CUA_ESCAPE_JSON,
};

/* Writes at most size - 1 bytes and a NUL to `out`, and stops before the first character that does
 * not fit completely. Returns the number of bytes written, without the NUL. */
size_t cua_escape(char *out, size_t size, const char *text, enum cua_escape how);

#endif
