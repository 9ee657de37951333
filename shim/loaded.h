/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a library is loaded. */
#ifndef CUA_LOADED_H
#define CUA_LOADED_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* The object around this address; NULL: there is none, or libc does not tell. It may be one that
 * can be unloaded: it is valid while its code runs. */
const struct link_map *cua_object_around(const void *address);

/* A hash that tells it from an object which was mapped there before or will be later. */
uint64_t cua_object_identity(const struct link_map *object);

/* Whether an object of this name or SONAME is mapped in the base namespace. `key` stands for the
 * name. If the object still lies where it lay at the last call with this key, that takes no lock.
 * Otherwise ld.so is asked, which takes its lock, as the program's own call is about to do; the
 * next dlerror still reports the program's call only.
 *
 * Only for a path, and for names of the driver's libraries: ld.so searches for a name that it does
 * not know, on behalf of the shim, and if it finds a file that is loaded under another name, this
 * name leads there for every caller from then on. */
bool cua_is_loaded(const char *name, uint64_t key);

#endif
