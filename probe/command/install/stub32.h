/* SPDX-License-Identifier: Apache-2.0 */
/* A 32-bit library that does nothing, for $LIB in ld.so.preload. */
#ifndef CUA_STUB32_H
#define CUA_STUB32_H

#include <stddef.h>

/* The smallest 32-bit library that ld.so loads without a warning, for i386 or arm as this machine
 * runs it. Returns its size. */
size_t cua_stub32(const void **bytes);

#endif
