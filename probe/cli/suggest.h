/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the word that a mistyped one was probably meant to be. */
#ifndef CUA_NEAR_H
#define CUA_NEAR_H

/* Words at this distance or more are not similar enough to be suggested. */
#define CUA_NEAR 3

/* How many letters must be added, removed or replaced to turn one word into the other; swapping two
 * neighbours counts as one. Upper and lower case are equal. Returns CUA_NEAR for any greater
 * distance, and if a word is longer than 48 bytes. */
unsigned cua_distance(const char *a, const char *b);

#endif
