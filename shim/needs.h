/* SPDX-License-Identifier: Apache-2.0 */
/* The cheap look at what a library file needs. */
#ifndef CUA_NEEDS_H
#define CUA_NEEDS_H

#include <stdbool.h>

enum cua_needs {
    CUA_NEEDS_READ,       /* all of them, and `visit` took each */
    CUA_NEEDS_STOPPED,    /* `visit` returned false for a name */
    CUA_NEEDS_UNUSUAL,    /* a library, but not one for a short look */
    CUA_NEEDS_UNREADABLE, /* not there, damaged, or no library for this machine */
};

/* Calls `visit` for each DT_NEEDED of the file, until it returns false. Takes no memory but a
 * little stack; a damaged file ends the look early and is ld.so's to refuse. */
enum cua_needs cua_needs(const char *path, bool (*visit)(const char *name));

#endif
