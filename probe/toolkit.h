/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUA_TOOLKIT_H
#define CUA_TOOLKIT_H

#include <stddef.h>

/* The CUDA version in the text of a toolkit's version.json; 0 if there is none. */
unsigned cua_toolkit_json(const char *text, size_t size);

#endif
