/* SPDX-License-Identifier: Apache-2.0 */
/* The cheap look at what a library that is about to be loaded brings in. */
#ifndef CUA_NEEDS_H
#define CUA_NEEDS_H

#include <stdbool.h>

enum cua_look {
    CUA_LOOK_DONE,  /* neither it nor what it needs, as far as that is not mapped, needs libcuda */
    CUA_LOOK_SHORT, /* it does, or it takes the engine to tell */
    CUA_LOOK_NONE,  /* there is none, or none that can be read now */
};

/* For a library that is not mapped itself. */
enum cua_look cua_brings(const char *path, bool is_name);

/* Is this one of libc's own libraries or of the compiler's run time, which need nothing but each
 * other? */
bool cua_name_libc(const char *file);

#endif
