/* SPDX-License-Identifier: Apache-2.0 */
/* Colours for stdout. There are none if stdout is no terminal, if TERM is unset, empty or "dumb",
 * or if NO_COLOR is set and not empty. */
#ifndef CUA_COLOUR_H
#define CUA_COLOUR_H

enum cua_colour { CUA_PLAIN, CUA_BOLD, CUA_DIM, CUA_GREEN, CUA_YELLOW, CUA_RED };

/* The escape sequence that starts a colour or style; CUA_PLAIN: the one that ends it. "" if stdout
 * has no colours. */
const char *cua_colour(enum cua_colour colour);

#endif
