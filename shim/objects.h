/* SPDX-License-Identifier: Apache-2.0 */
/* The objects that are loaded in this process: ld.so's own list, in the order of loading. Objects
 * that were loaded at program start come first and are never unloaded. (If the shim was loaded by
 * dlopen, only those up to libc count as such, because it is not known where the others begin.)
 * Others may be unloaded by another thread at any time. So after the shim's start these are read
 * only through the kernel (peek.h). An exception is an object that something keeps loaded, such as
 * its own call of dlopen. */
#ifndef CUA_OBJECTS_H
#define CUA_OBJECTS_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#include "state.h"

/* The first object of ld.so's list; NULL if it cannot be found. Of each object only the fields that
 * <link.h> declares may be read. */
const struct link_map *cua_objects(void);

/* Finds the first object of ld.so's list, and stores it for cua_objects. NULL if it cannot be
 * found. `env`: the environment on the stack, which leads to the list without a call of another
 * library's code; NULL: not known. */
const struct link_map *cua_objects_begin(char **env);

/* The next object that is never unloaded; NULL: none. */
static inline const struct link_map *cua_object_next(const struct link_map *object)
{
    return object == CUA_GET(last) ? NULL : object->l_next;
}

extern ElfW(Dyn) _DYNAMIC[] __attribute__((visibility("hidden")));

static inline bool cua_object_is_self(const struct link_map *object)
{
    return object->l_ld == _DYNAMIC;
}

/* Of the objects that are never unloaded, the one whose code contains this address; NULL: none. */
const struct link_map *cua_object_at(const void *address);

/* The function to which the shim's own dlopen or dlmopen (x86_64.S, aarch64.S) jumps: that of an
 * object after the shim, else libc's. If there is none, a function that returns NULL. */
#define CUA_NEXT(name) (CUA_GET(name) ?: cua_find_next(&cua_state.name, #name))
void *cua_find_next(_Atomic(void *) *next, const char *name);

/* The function of this name in libc or, before glibc 2.34, in libdl; NULL: there is none. */
void *cua_find_libcs(const char *name);

/* The first entry with this tag in a dynamic section, from `entry` on; NULL if there is none.
 * `entry` may be NULL. */
const ElfW(Dyn) * cua_dynamic_find(const ElfW(Dyn) * entry, ElfW(Sxword) tag);

/* Turns a value from the dynamic section of an object into an address. Reads only l_addr and l_ld,
 * so the other fields need not be set. */
uintptr_t cua_object_address(const struct link_map *object, ElfW(Addr) value);

/* The address of a function or variable that the object exports. NULL if it exports none of this
 * name, or only an IFUNC. */
void *cua_object_symbol(const struct link_map *object, const char *name);

/* The address of this symbol in the first object that exports it. Looks only at objects that are
 * never unloaded. NULL if none of them exports it. */
void *cua_first_symbol(const char *name);

/* Whether any object that is never unloaded needs a library whose name begins with `name`. */
bool cua_is_needed(const char *name);

/* The text, such as a SONAME, that the object's dynamic entry with this tag refers to, or NULL. */
const char *cua_object_text(const struct link_map *object, ElfW(Sxword) tag);

/* The address that the object's dynamic entry with this tag holds, or NULL. */
const void *cua_object_table(const struct link_map *object, ElfW(Sxword) tag);

/* Whether the object has this file name, by its path or its DT_SONAME. */
bool cua_object_called(const struct link_map *object, const char *file);

#endif
