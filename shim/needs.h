/* SPDX-License-Identifier: Apache-2.0 */
/* The cheap look at what a library file needs. */
#ifndef CUA_NEEDS_H
#define CUA_NEEDS_H

#include <stddef.h>
#include <stdint.h>

enum cua_needs {
    CUA_NEEDS_READ,       /* all of them */
    CUA_NEEDS_UNUSUAL,    /* a library, but not one for a short look */
    CUA_NEEDS_UNREADABLE, /* not there, damaged, or no library for this machine */
};

#define CUA_NEEDS_MAX 48

/* Reads the DT_NEEDED of the open file: `keys`, CUA_NEEDS_MAX of them, as cua_key makes them, 0 for
 * what brings nothing. Takes no memory but a little stack; a damaged file ends the look early and
 * is ld.so's to refuse. */
enum cua_needs cua_needs(int fd, uint64_t *keys, size_t *count);

#endif
