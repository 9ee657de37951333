/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a library is loaded. */
#ifndef CUA_LOADED_H
#define CUA_LOADED_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* The loaded object that contains this address; NULL if there is none, or if libc has no function
 * to find it. An object that can be unloaded is found, too: the result is valid while the object's
 * code runs. */
const struct link_map *cua_object_around(const void *address);

/* A hash of the object's path, load address and dynamic section: another library that is mapped at
 * the same address earlier or later has another hash. */
uint64_t cua_object_identity(const struct link_map *object);

/* Whether an object of this path, name or SONAME is mapped in the base namespace. False if libc's
 * dlopen or dlclose is not found. `key`: a number that the callers use for no other name. May take
 * ld.so's lock, as the program's own dlopen will anyway. The program's next dlerror still reports
 * only the program's call.
 *
 * Call it only with a path, or with a name of the driver's libraries. For a name that ld.so does
 * not know, ld.so searches the shim's search paths. If the file found there is loaded under another
 * name, ld.so adds this name to that file. From then on every caller of this name gets that
 * file. */
bool cua_is_loaded(const char *name, uint64_t key);

#endif
