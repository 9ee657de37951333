/* SPDX-License-Identifier: Apache-2.0 */
/* The cheap look at what a library that is about to be loaded brings in. */
#ifndef CUA_NEEDS_H
#define CUA_NEEDS_H

#include <stdbool.h>

enum cua_look {
    CUA_LOOK_DONE,  /* it does not bring libcuda in */
    CUA_LOOK_SHORT, /* it does, or only the engine can tell */
    CUA_LOOK_NONE,  /* the file is not there, or cannot be read now */
};

/* Looks into a library that is not mapped itself, and into what it needs that is not mapped. */
enum cua_look cua_brings(const char *path, bool is_name);

/* Is it one of libc's or of the compiler's run time, which need nothing but each other? */
bool cua_name_libc(const char *file);

#endif
