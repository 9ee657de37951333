/* SPDX-License-Identifier: Apache-2.0 */
/* Does a library that is about to be loaded bring in something the engine should know of? */
#ifndef CUA_BRINGS_H
#define CUA_BRINGS_H

#include <stdbool.h>

enum cua_brings {
    CUA_BRINGS_NOTHING, /* all that it needs is mapped */
    CUA_BRINGS_MORE,    /* or it cannot be told here */
    CUA_BRINGS_UNKNOWN, /* no library, or none that can be found now */
};

/* For a library that is not mapped itself. `caller` as in the contract. */
enum cua_brings cua_brings(const char *path, bool is_name, const void *caller);

#endif
