/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever comes from outside (names, values, folders, what a driver says) on its way to a
 * terminal, a log or JSON: it cannot end a line, move a cursor or break a string, and it is UTF-8.
 */
#ifndef CUA_ESCAPE_H
#define CUA_ESCAPE_H

#include <stddef.h>

enum cua_escape {
    CUA_ESCAPE_TEXT, /* "\x1b" for each byte of what is not printable UTF-8 */
    CUA_ESCAPE_JSON, /* between quotes: "\u001b"; U+FFFD for bytes that are no UTF-8 */
};

/* `out` receives at most size - 1 bytes and a NUL; what does not fit as a whole is left out.
 * Returns how many. */
size_t cua_escape(char *out, size_t size, const char *text, enum cua_escape how);

#endif
