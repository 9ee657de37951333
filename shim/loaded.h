/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a library is loaded. */
#ifndef CUA_LOADED_H
#define CUA_LOADED_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* The loaded object that contains this address; NULL: none, or libc has no function that tells. The
 * object may be one that can be unloaded: the result is valid while the object's code runs. */
const struct link_map *cua_object_around(const void *address);

/* A hash that differs from that of any other object that is mapped at the same address, earlier or
 * later. */
uint64_t cua_object_identity(const struct link_map *object);

/* Whether an object of this name or SONAME is mapped in the base namespace. `key` is the name's
 * (text.h). Takes no lock if the object still lies where it lay at the last call with this key.
 * Otherwise asks ld.so, which takes its lock, as it is about to do for the program's own call. The
 * program's next dlerror still reports only the program's call.
 *
 * To be called only with a path, or with a name of the driver's libraries. For a name that ld.so
 * does not know, it searches with the shim's search paths. If it finds a file there that is loaded
 * under another name, it adds this name to that file, and every later caller gets the file. */
bool cua_is_loaded(const char *name, uint64_t key);

#endif
