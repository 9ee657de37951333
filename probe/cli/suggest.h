/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the word that a mistyped one was probably meant to be. */
#ifndef CUA_NEAR_H
#define CUA_NEAR_H

/* Words at this distance or more are not similar. */
#define CUA_NEAR 3

/* The number of letters to add, remove or replace to turn one word into the other; swapping two
 * neighbours counts once. Upper and lower case are equal. CUA_NEAR at most. */
unsigned cua_distance(const char *a, const char *b);

#endif
