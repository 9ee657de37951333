/* SPDX-License-Identifier: Apache-2.0 */
/* A 32-bit library that does nothing, for $LIB in ld.so.preload. */
#ifndef CUA_STUB32_H
#define CUA_STUB32_H

#include <stddef.h>

/* The smallest 32-bit library that ld.so takes without a word, for i386 or arm as goes with this
 * machine. Returns its size. */
size_t cua_stub32(const void **bytes);

#endif
