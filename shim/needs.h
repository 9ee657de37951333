/* SPDX-License-Identifier: Apache-2.0 */
/* The cheap look at what a library file needs. */
#ifndef CUA_NEEDS_H
#define CUA_NEEDS_H

#include <stdbool.h>
#include <stdint.h>

enum cua_needs {
    CUA_NEEDS_READ,       /* all of them, and `visit` took each */
    CUA_NEEDS_STOPPED,    /* `visit` returned false for a name */
    CUA_NEEDS_UNUSUAL,    /* a library, but not one for a short look */
    CUA_NEEDS_UNREADABLE, /* not there, damaged, or no library for this machine */
};

/* The start of a file, which is read anyway: mostly the names lie in it, too. */
#define CUA_NEEDS_HEAD 2048
struct cua_needs_file {
    int fd;
    uint32_t have; /* bytes of the head */
    char head[CUA_NEEDS_HEAD];
};

/* Opens the library and reads its head; false where there is none. */
bool cua_needs_open(struct cua_needs_file *file, const char *path);

/* Calls `visit` for each DT_NEEDED of the file, until it returns false, and closes the file. Takes
 * no memory but a little stack; a damaged file ends the look early and is ld.so's to refuse. */
enum cua_needs cua_needs(struct cua_needs_file *file, bool (*visit)(const char *name));

#endif
