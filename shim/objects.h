/* SPDX-License-Identifier: Apache-2.0 */
/* What is loaded in this process, as dl_iterate_phdr lists it: in ld.so's order of search. */
#ifndef CUA_OBJECTS_H
#define CUA_OBJECTS_H

#include <link.h>
#include <stdbool.h>

/* What a look through the loaded objects finds out. */
struct cua_survey {
    const char *self;    /* the shim's own l_name */
    bool libc_before;    /* libc stands before the shim, which was loaded by dlopen then */
    bool libc_behind;    /* it came with the program */
    const char *libcuda; /* l_name of the first one mapped; NULL */
};

/* One pass over all objects. On musl, where libc has another name, both libc_* stay false. */
void cua_survey(struct cua_survey *survey);

/* The same, only in the start-up check, while there is one thread: costs a third. */
void cua_survey_at_start(struct cua_survey *survey);

/* A function or variable of libc's, past everybody who has one of the same name; NULL. */
void *cua_object_libc_symbol(const char *name);

/*
 * Before anything is opened at the start, when libc has not been set up yet. Opening a library then
 * makes ld.so run libc's constructors, once and for all, with the arguments and the environment
 * that libc knows of: none. The program would have neither. So they are run here with the right
 * ones first; ld.so's turn then repeats them.
 */
void cua_object_start_libc(int argc, char **argv, char **env);

/* Runs an object's constructors. */
void cua_object_construct(const struct dl_phdr_info *object, int argc, char **argv, char **env);

/* The next dlopen and dlmopen behind the shim; NULL where there is none. */
struct cua_next {
    void *dlopen;
    void *dlmopen;
};

void cua_object_next(struct cua_next *next);

/* The address of a function or variable that the object defines for others; NULL. */
void *cua_object_symbol(const struct dl_phdr_info *object, const char *name);

/* The object's DT_SONAME; NULL. */
const char *cua_object_soname(const struct dl_phdr_info *object);

/* Is an object mapped under this file name or SONAME? */
bool cua_object_mapped(const char *file);

/* Is an object mapped under exactly this path? */
bool cua_object_mapped_path(const char *path);

/* Finds the object with this path, or else the first with its file name; false: none. */
bool cua_object_find(const char *path, struct dl_phdr_info *object);

/* The addresses from the object's first to its last byte. */
void cua_object_range(const struct dl_phdr_info *object, uintptr_t *low, uintptr_t *high);

/* Is libcuda among what the program itself needs, directly or through its libraries, and not only
 * through another preload? */
bool cua_object_program_needs_libcuda(void);

#endif
