/* SPDX-License-Identifier: Apache-2.0 */
/* Colour, on a terminal alone and never against NO_COLOR. */
#ifndef CUA_COLOUR_H
#define CUA_COLOUR_H

enum cua_colour { CUA_PLAIN, CUA_BOLD, CUA_DIM, CUA_GREEN, CUA_YELLOW, CUA_RED };

/* What starts a colour on stdout, or ends it with CUA_PLAIN; "" where there is none. */
const char *cua_colour(enum cua_colour colour);

#endif
