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

/* A hash of the object's path, load address and dynamic section: another object that is mapped at
 * the same address earlier or later has another hash. */
uint64_t cua_object_identity(const struct link_map *object);

/* Whether an object of this path, name or SONAME is mapped in the base namespace. `key`: a number
 * that the callers use for no other name. Takes no lock if the object is still at the address where
 * the last call with this key found it (from glibc 2.35 on). Otherwise asks ld.so, which takes its
 * lock, as it will for the program's own dlopen anyway. The program's next dlerror still reports
 * only the program's call. False if libc's dlopen is not found.
 *
 * Call it only with a path, or with a name of the driver's libraries. If ld.so does not know a
 * name, it searches in the shim's search paths. If the file it finds there is loaded under another
 * name, ld.so adds this name to it, and every later caller of this name gets that file. */
bool cua_is_loaded(const char *name, uint64_t key);

#endif
