/* SPDX-License-Identifier: Apache-2.0 */
/* Does a library that is about to be loaded bring in something the engine should know of? */
#ifndef CUA_BRINGS_H
#define CUA_BRINGS_H

#include <stdbool.h>

#include "needs.h"

/* For a library that is not mapped itself. DONE: neither it nor what it needs, as far as that is
 * not mapped yet, needs libcuda; SHORT: it does, or the engine has to say; NONE: there is none, or
 * none that can be read now. */
enum cua_look cua_brings(const char *path, bool is_name);

#endif
