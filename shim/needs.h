/* SPDX-License-Identifier: Apache-2.0 */
/* The cheap look at what a library file needs. */
#ifndef CUA_NEEDS_H
#define CUA_NEEDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The needs of one library after the other, each once: their names, each with its NUL, and their
 * keys (text.h), 0 for what brings nothing in. */
struct cua_needs {
    char text[2048];
    uint64_t key[96];
    size_t used, count;
    bool has_paths; /* any of the libraries, to search by for what it needs */
};

enum cua_look {
    CUA_LOOK_DONE,
    CUA_LOOK_SHORT, /* a library, but too much or too unusual for a short look */
    CUA_LOOK_NONE,  /* not there, damaged, or no library for this machine */
};

/* Adds what the file needs, which is closed. Takes no memory but a little stack. */
enum cua_look cua_needs_add(struct cua_needs *needs, int fd);

#endif
