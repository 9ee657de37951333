/* SPDX-License-Identifier: Apache-2.0 */
/* Does a library that is about to be loaded bring in something the engine should know of? */
#ifndef CUA_LOOK_H
#define CUA_LOOK_H

#include <stdbool.h>
#include <stddef.h>

/* False: it is loaded already, or all that it needs is. Remembers what it found out. `caller` as in
 * the contract. */
bool cua_brings(const char *path, size_t length, const void *caller);

#endif
