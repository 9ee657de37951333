/* SPDX-License-Identifier: Apache-2.0 */
/* A 32-bit library that does nothing. If an entry in ld.so.preload contains $LIB, 32-bit programs
 * load this library where 64-bit programs load the shim. */
#ifndef CUA_STUB32_H
#define CUA_STUB32_H

#include <stddef.h>

/* Sets `bytes` to the library, static data, for the 32-bit architecture that goes with this
 * program's: i386 or arm. Returns the library's size. */
size_t cua_stub32(const void **bytes);

#endif
