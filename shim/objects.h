/* SPDX-License-Identifier: Apache-2.0 */
/* The objects that are loaded beside the shim: ld.so's own list, in its order of search. */
#ifndef CUA_OBJECTS_H
#define CUA_OBJECTS_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#include "state.h"

/* The first object of the list, or NULL if it cannot be found. Only the public fields may be read.
 * Objects that came with the program stay for ever, others only while the list is held. */
const struct link_map *cua_objects(void);

/* The same at the start of the program: `env` leads there where foreign code would have to. */
const struct link_map *cua_objects_begin(char **env);

extern ElfW(Dyn) _DYNAMIC[] __attribute__((visibility("hidden")));

static inline bool cua_object_is_self(const struct link_map *object)
{
    return object->l_ld == _DYNAMIC;
}

/* From now on forks wait, for 75 ms at most, while another thread holds the list for the shim. */
void cua_objects_watch_forks(void);

/* How many objects were unloaded so far, while there is one namespace. By what a visit gets: a
 * number that grows with each of the base, and with what other namespaces load. */
uint64_t cua_objects_unloaded(void);
uint64_t cua_objects_unloaded_by(const struct dl_phdr_info *object);

/* Calls `visit` once while nothing can be loaded or unloaded. It must not allocate: malloc may
 * load. It returns 1. */
void cua_objects_hold(cua_visit *visit, void *arg);

/* The next dlopen or dlmopen behind the shim, to which the entry stubs jump, as it is remembered or
 * found. If there is none now, a function that returns NULL. */
#define CUA_NEXT(name) (CUA_GET(name) ?: cua_find_next(&cua_state.name, #name))
void *cua_find_next(_Atomic(void *) *next, const char *name);

/* The first entry with this tag, NULL if there is none, from `entry` on, which may be NULL. */
const ElfW(Dyn) * cua_dynamic_find(const ElfW(Dyn) * entry, ElfW(Sxword) tag);

/* The address of a function or variable that the object exports, or NULL. */
void *cua_object_symbol(const struct link_map *object, const char *name);

/* The same of the first object of the list that exports it. */
void *cua_first_symbol(const char *name);

/* Does an object, whichever, need one of this name, or whose name begins so? */
bool cua_is_needed(const char *name, bool whole);

enum cua_import_kind {
    CUA_ALLOCATES = 1,
    CUA_EARLY = 2,   /* works before constructors have run, in some libraries */
    CUA_CALLED = 4,  /* dlopen: the next one behind the shim is called */
    CUA_PASSED = 16, /* dl_iterate_phdr: libc's own is called where there is one */
    CUA_OTHER = 8,
    CUA_COPIES = 32, /* strdup: of an allocator it works like its malloc, else it is another one */
};

/* One of several names: its hash, GNU's, and where it begins in the text of all names. */
struct cua_import {
    uint32_t hash;
    uint16_t at;
    uint8_t kind;
};

/* The kinds of what the object exports of these; 0: nothing. Of each hash `filter` has two bits. */
unsigned cua_object_exports(const struct link_map *object, const struct cua_import *imports,
                            size_t count, const uint64_t *filter, const char *names);

/* The object's DT_SONAME, or NULL. */
const char *cua_object_soname(const struct link_map *object);

/* The address in its entry with this tag, or NULL. */
const void *cua_object_table(const struct link_map *object, ElfW(Sxword) tag);

/* Has it DT_RPATH or DT_RUNPATH? */
bool cua_object_has_paths(const struct link_map *object);

/* Is it the object of this file name, by its path or its DT_SONAME? */
bool cua_object_called(const struct link_map *object, const char *file);

/* Runs the object's constructors. */
void cua_object_construct(const struct link_map *object, int argc, char **argv, char **env);

#endif
