/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a libcuda would load in this process, and whether the objects that need it could be bound
 * to it. */
#ifndef CUA_LOADABLE_H
#define CUA_LOADABLE_H

#include <stddef.h>

#include "elf/file.h"
#include "loader/requester.h"
#include "machine/subject.h"

/* Who needs libcuda. If neither `library` nor `linked` is set: any code that looks its functions up
 * by dlsym. */
struct cua_binder {
    const struct cua_requester
        *requester;      /* the object on whose behalf ld.so searches; NULL: a plain program */
    const char *library; /* the library that is being loaded and brings libcuda in; NULL: none */
    bool linked;         /* the program, and all objects that are mapped with it */
    bool now;            /* all functions are bound at once: RTLD_NOW, LD_BIND_NOW */
};

/* Whether `file` would load. False, with the reason, if it lies on a mount without exec, if a
 * library that it needs is not found, or if it lacks a function that the binder must find at once
 * and `instead_of` has ("": any function with a name like libcuda's). Also false in doubt. For a
 * subject other than this process only the functions are checked, if the file is there. Both files
 * are named as this process can open them. */
bool cua_loadable(const struct cua_subject *subject, const struct cua_binder *binder,
                  const char *file, const char *instead_of, char *why, size_t size);

/* Whether a function of this name is one of libcuda's that this libcuda lacks. */
bool cua_loadable_lacks(struct cua_elf *libcuda, const char *name);

#endif
