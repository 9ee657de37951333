/* SPDX-License-Identifier: Apache-2.0 */
/* Colour: only on a terminal, and never if NO_COLOR is set. */
#ifndef CUA_COLOUR_H
#define CUA_COLOUR_H

enum cua_colour { CUA_PLAIN, CUA_BOLD, CUA_DIM, CUA_GREEN, CUA_YELLOW, CUA_RED };

/* The text that starts a colour on stdout; with CUA_PLAIN, the text that ends it. "" if stdout has
 * no colour. */
const char *cua_colour(enum cua_colour colour);

#endif
