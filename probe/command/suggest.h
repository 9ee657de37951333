/* SPDX-License-Identifier: Apache-2.0 */
/* Which word a mistyped one was meant to be. */
#ifndef CUA_NEAR_H
#define CUA_NEAR_H

/* From this distance on two words have nothing to do with each other. */
#define CUA_NEAR 3

/* How many letters have to be added, left out or replaced to come from one to the other; two that
 * change places count once. Upper and lower case are the same. CUA_NEAR at most. */
unsigned cua_distance(const char *a, const char *b);

#endif
